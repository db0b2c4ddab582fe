import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { promptTemplate, section } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { type AnthropicModule, createClient } from '../../../../src/providers/anthropic/client.ts';
import { message, text } from '../../../support/anthropic-messages.ts';
import { toEvents } from '../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../support/captured-requests.ts';

const sections = [section({ title: 'Task', key: 'task', template: 'Do it.' })];
const prompt = promptTemplate({ ns: 'test', key: 'client', sections }).bind();
const answer = message([text('Done.')]);

describe('createClient', () => {
  it('names what to install when the package cannot be loaded', async () => {
    const cause = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(createClient({}, () => Promise.reject(cause))).rejects.toMatchObject({
      name: 'MissingPeerError',
      code: 'peer-missing',
      message: expect.stringContaining('npm install @anthropic-ai/sdk'),
      details: { package: '@anthropic-ai/sdk', range: '^1' },
      cause,
    });
  });

  it('makes a client of the options, without retries and without tracing of its own', async () => {
    const made: unknown[] = [];
    const module: AnthropicModule = {
      Anthropic: class {
        readonly messages = { create: () => Promise.resolve({}) };
        constructor(options: object) {
          made.push(options);
        }
      },
    };
    await createClient({ authToken: 'token', baseURL: 'http://localhost' }, () => Promise.resolve(module));
    expect(made).toEqual([
      {
        authToken: 'token',
        baseURL: 'http://localhost',
        fetch: expect.any(Function),
        maxRetries: 0,
        openTelemetry: false,
      },
    ]);
  });
});

describe('the client', () => {
  it('may be given; its own retries are overruled', async () => {
    const captured = capturingFetch(() => Response.json({ error: { message: 'down' } }, { status: 500 }));
    const client = new Anthropic({ apiKey: 'key', fetch: captured.fetch, maxRetries: 3 });
    const failed = anthropic({ model: 'm', client }).evaluate(prompt, { retry: false });
    await expect(failed).rejects.toMatchObject({ phase: 'request', cause: { kind: 'server-error' } });
    expect(captured.requests).toHaveLength(1);
  });

  it('may be an object of your own, which gets signal, timeout and no retries', async () => {
    const calls: unknown[] = [];
    const client = {
      messages: {
        create: async (body: { stream?: boolean }, options: object) => {
          calls.push([body.stream, options]);
          return answer;
        },
      },
    };
    const options = { signal: expect.any(AbortSignal), timeout: 5, maxRetries: 0 };
    const adapter = anthropic({ model: 'm', client, timeoutMs: 4.5 });
    expect(await adapter.evaluate(prompt)).toMatchObject({ text: 'Done.' });
    // A client that does not stream is read, too.
    expect(await adapter.evaluate(prompt, { streaming: true })).toMatchObject({ text: 'Done.' });
    expect(calls).toEqual([
      [undefined, options],
      [true, options],
    ]);
  });

  it('may be an object of your own that streams', async () => {
    const client = {
      messages: {
        create: async () =>
          (async function* () {
            yield* toEvents(answer);
          })(),
      },
    };
    const deltas: string[] = [];
    const { text: said } = await anthropic({ model: 'm', client }).evaluate(prompt, {
      streaming: true,
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'text-delta') deltas.push(event.text);
          },
        },
      ],
    });
    expect([said, deltas.join('')]).toEqual(['Done.', 'Done.']);
  });

  it('takes address and headers as options', async () => {
    const captured = capturingFetch(answer);
    const adapter = anthropic({
      model: 'm',
      apiKey: async () => 'fetched',
      baseURL: 'http://127.0.0.1:1',
      defaultHeaders: { 'x-own': '1' },
      fetch: captured.fetch,
      betas: ['a', 'b', 'a'],
    });
    await adapter.evaluate(prompt);
    const { url, headers } = captured.requests[0] ?? { url: '', headers: new Headers() };
    expect(url).toBe('http://127.0.0.1:1/v1/messages');
    expect(['authorization', 'x-own', 'anthropic-beta'].map((name) => headers.get(name))).toEqual([
      'Bearer fetched',
      '1',
      'a,b',
    ]);
  });

  it.each([
    [{ model: 'm', client: {}, authToken: 'key' }, /given a client and the option authToken/],
    [{ model: '' }, /The Anthropic adapter needs the name of a model/],
    [{ model: 'm', timeoutMs: 0 }, /timeoutMs must be/],
    [{ model: 'm', maxTokens: 1.5 }, /maxTokens must be/],
    [{ model: 'm', promptCaching: { ttl: '2h' } }, /promptCaching\.ttl must be/],
    [{ model: 'm', unsupportedConfig: 'ignore' }, /unsupportedConfig must be/],
    [{ model: 'm', settings: { stream: true } }, /settings\.stream/],
  ])('is refused with options that cannot be: %j', (options, expected) => {
    expect(() => anthropic(options as never)).toThrow(
      expect.objectContaining({ name: 'PromptValidationError', message: expect.stringMatching(expected) }),
    );
  });
});
