import { describe, expect, it } from 'vitest';
import { createClient, type OpenAIModule } from '../../../../src/providers/openai/wire/client.ts';

describe('createClient', () => {
  it('names what to install when the package cannot be loaded', async () => {
    const cause = Object.assign(new Error("Cannot find package 'openai'"), { code: 'ERR_MODULE_NOT_FOUND' });
    const failed = createClient({}, () => Promise.reject(cause));
    await expect(failed).rejects.toMatchObject({
      name: 'MissingPeerError',
      code: 'peer-missing',
      message: expect.stringMatching(
        /next to weakincentives with "npm install openai" \(version 6 or 7; with -g /,
      ),
      details: { package: 'openai', range: '^6 || ^7' },
      cause,
    });
  });

  it('makes a client of the options, without retries', async () => {
    const made: unknown[] = [];
    const module: OpenAIModule = {
      OpenAI: class {
        readonly responses = { create: () => Promise.resolve({}) };
        constructor(options: object) {
          made.push(options);
        }
      },
    };
    await createClient({ apiKey: 'key', baseURL: 'http://localhost/v1' }, () => Promise.resolve(module));
    expect(made).toEqual([
      { fetch: expect.any(Function), apiKey: 'key', baseURL: 'http://localhost/v1', maxRetries: 0 },
    ]);
  });
});
