import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import { BudgetTracker, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { type CapturedAnswer, capturingFetch } from '../../../support/captured-requests.ts';
import { promptOf } from '../../../support/prompt-of.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'word '.repeat(200)),
});
const prompt = promptOf({ tools: [look] });

function serverOf(answers: readonly CapturedAnswer[], options: { readonly includeUsage?: boolean } = {}) {
  const { fetch, requests } = capturingFetch(...answers);
  const baseURL = 'http://127.0.0.1:9/v1';
  const server = createOpenAICompatible({ name: 'local', baseURL, fetch, ...options });
  return { adapter: aiSdk({ model: server('model-1') }), requests };
}

const overflow = 'request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it';

describe.each([false, true])('a request that a compatible server refuses; streaming: %s', (streaming) => {
  it.each<[string, number, string, string]>([
    ['the form of OpenAI', 400, '{"error":{"message":"No template."}}', 'No template.'],
    ['an error that is a text', 400, '{"error":"No template.","error_type":"x"}', '400 No template.'],
    ['an error object', 400, '{"object":"error","message":"No template.","code":400}', '400 No template.'],
    ['a message', 400, '{"message":"No template."}', '400 No template.'],
    ['a detail', 404, '{"detail":"No template."}', '404 No template.'],
    [
      'a list of faults',
      422,
      '{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}',
      '422 body.model: Field required',
    ],
    ['a text', 400, 'No template.', '400 No template.'],
    ['a page', 403, '<html><title>403 Forbidden</title><body>nginx</body></html>', '403 403 Forbidden nginx'],
  ])('says why, in %s', async (_name, status, body, message) => {
    const { adapter } = serverOf([() => new Response(body, { status })]);
    await expect(adapter.evaluate(prompt, { streaming, retry: false })).rejects.toMatchObject({
      code: 'evaluation-request-failed',
      message: expect.stringContaining(message),
      cause: { statusCode: status, message },
    });
  });

  it.each([
    ['the form of OpenAI', 400, { error: { message: overflow, type: 'exceed_context_size_error' } }],
    ['an error that is a text', 422, { error: overflow }],
    ['an error object', 400, { object: 'error', message: overflow }],
    ['an error of the server', 500, { error: { message: overflow } }],
    ['a code alone', 400, { error: { message: 'Too much.', type: 'exceed_context_size_error' } }],
  ])('is recognized as too long, in %s', async (_name, status, body) => {
    const { adapter } = serverOf([() => Response.json(body, { status })]);
    await expect(adapter.evaluate(prompt, { streaming, retry: false })).rejects.toMatchObject({
      code: 'evaluation-context-exceeded',
    });
  });
});

const events = (...chunks: readonly object[]): Response =>
  new Response(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'c',
  created: 1,
  model: 'model-1',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

describe('a stream of a compatible server', () => {
  it('ends the run as too long when an event says so', async () => {
    const { adapter } = serverOf([() => events({ error: { message: 'Context size has been exceeded.' } })]);
    await expect(adapter.evaluate(prompt, { streaming: true, retry: false })).rejects.toMatchObject({
      code: 'evaluation-context-exceeded',
    });
  });

  const calling = () =>
    events(
      chunk({
        tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      }),
      chunk({}, 'tool_calls'),
    );

  it('without usage is estimated, so that a budget of tokens ends the run', async () => {
    const { adapter, requests } = serverOf([calling]);
    const budget = new BudgetTracker({ maxTotalTokens: 2_000 });
    const logger = recordingLogger();
    await expect(
      adapter.evaluate(prompt, { streaming: true, limits: { budget, maxTurns: 50 }, logger }),
    ).rejects.toMatchObject({ code: 'evaluation-budget-exceeded' });
    expect(requests.length).toBeLessThan(10);
    expect(budget.usage).toEqual({});
    expect(logger.lines.filter(({ message }) => message.includes('includeUsage'))).toHaveLength(1);
  });

  it('with usage is counted, and asked for with includeUsage', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const done = () => events(chunk({ content: 'Done.' }), { ...chunk({}, 'stop'), usage });
    const { adapter, requests } = serverOf([done], { includeUsage: true });
    const budget = new BudgetTracker({ maxTotalTokens: 2_000 });
    const response = await adapter.evaluate(prompt, { streaming: true, limits: { budget } });
    expect(requests[0]?.body['stream_options']).toEqual({ include_usage: true });
    expect(response.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(budget.estimatedUsage).toEqual({});
  });
});
