import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { openai } from 'weakincentives/openai';
import { capturingFetch } from '../../../support/captured-requests.ts';
import { modes, promptOf, runOpenAI } from '../../../support/openai-runs.ts';

const page = `<!DOCTYPE html><html><head><title>400 Bad Request</title></head><body>${'<p>No.</p>'.repeat(5_000)}</body></html>`;

describe.each(modes)('a refused request, asked for %s', (_mode, options) => {
  it.each<[string, string, string]>([
    ['the form of the provider', '{"error":{"message":"Unknown model.","code":"x"}}', '400 Unknown model.'],
    ['an error that is a text', '{"error":"Unknown model."}', '400 Unknown model.'],
    ['an error object', '{"object":"error","message":"Unknown model.","code":400}', '400 Unknown model.'],
    ['a message', '{"message":"Unknown model."}', '400 Unknown model.'],
    ['a detail', '{"detail":"Unknown model."}', '400 Unknown model.'],
    [
      'a list of faults',
      '{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}',
      '400 body.model: Field required',
    ],
    ['a text', 'Unknown model.', '400 Unknown model.'],
    ['nothing', '', '400 status code (no body)'],
  ])('says why, where the server answers with %s', async (_name, body, message) => {
    const answer = () => new Response(body, { status: 400, headers: { 'content-length': '7' } });
    await expect(runOpenAI(promptOf(), [answer], options)).rejects.toMatchObject({
      code: 'evaluation-request-failed',
      phase: 'request',
      message: expect.stringContaining(message),
      cause: { status: 400, message },
    });
  });

  it('says why in short, where the server answers with a page', async () => {
    const answer = () => new Response(page, { status: 400 });
    const failed = await runOpenAI(promptOf(), [answer], options).catch((error: Error) => error);
    expect(failed).toMatchObject({
      cause: { message: expect.stringMatching(/^400 400 Bad Request No\. No\./) },
    });
    expect(JSON.stringify(failed)).not.toContain('<p>');
    expect((failed as Error).message.length).toBeLessThan(800);
  });

  it('says in short why, where a client of yours hands on a page', async () => {
    const { fetch } = capturingFetch(() => new Response(page, { status: 400 }));
    const client = new OpenAI({ apiKey: 'key-1', fetch, maxRetries: 0 });
    await expect(openai({ model: 'gpt-5', client }).evaluate(promptOf(), options)).rejects.toMatchObject({
      cause: { status: 400, message: expect.stringMatching(/^400 400 Bad Request No\..{0,500}$/) },
    });
  });
});
