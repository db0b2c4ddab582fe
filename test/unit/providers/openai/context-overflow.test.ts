import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import type { CapturedAnswer } from '../../../support/captured-requests.ts';
import { functionCall, message, response } from '../../../support/openai-responses.ts';
import { modes, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode, toServerSentEvents } from '../../../support/openai-stream.ts';

const error = {
  message: 'Your input exceeds the context window of this model.',
  type: 'invalid_request_error',
  param: 'input',
  code: 'context_length_exceeded',
};
const refused: readonly (readonly [string, CapturedAnswer])[] = [
  ['by its status', () => Response.json({ error }, { status: 400 })],
  ['by the response', inEitherMode(response([], { status: 'failed', error }))],
  [
    'by its words alone, as other servers do',
    () =>
      Response.json(
        { error: { message: "This model's maximum context length is 4096 tokens.", code: 400 } },
        { status: 400 },
      ),
  ],
];

const overflow = "This model's maximum context length is 4096 tokens.";
const otherForms: readonly (readonly [string, number, unknown])[] = [
  ['an error that is a text', 400, { error: overflow, error_type: 'validation' }],
  ['an error object', 400, { object: 'error', message: overflow, type: 'BadRequestError', code: 400 }],
  ['a detail', 422, { detail: overflow }],
  ['a list of faults', 422, { detail: [{ loc: ['body', 'input'], msg: overflow }] }],
  ['a message', 400, { message: overflow }],
  ['a text', 400, overflow],
  ['a status that would pass', 500, { error: { message: overflow, type: 'internal' } }],
];

const read = tool({
  name: 'read',
  description: 'Reads.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'word '.repeat(500)),
});
const prompt = promptOf({ tools: [read] });

describe.each(modes)('a conversation that is too long, asked for %s', (_mode, options) => {
  it.each(refused)('is told %s', async (_name, answer) => {
    await expect(runOpenAI(prompt, [answer], options)).rejects.toMatchObject({
      code: 'evaluation-context-exceeded',
      cause: { name: 'ModelResponseError', code: 'model-context-exceeded' },
    });
  });

  it.each(otherForms)('is told by %s', async (_name, status, body) => {
    const answer = () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
    await expect(runOpenAI(prompt, [answer], options)).rejects.toMatchObject({
      code: 'evaluation-context-exceeded',
      cause: { code: 'model-context-exceeded', message: expect.stringContaining(overflow) },
    });
  });

  it.each(refused)('is asked for again with less, where that is wanted; told %s', async (_name, answer) => {
    const { bodies, result } = await runOpenAI(
      prompt,
      [
        inEitherMode(response([functionCall('c1', 'read', {})])),
        inEitherMode(response([functionCall('c2', 'read', {})])),
        answer,
        inEitherMode(response([message('Done.')])),
      ],
      { ...options, context: { overflow: 'drop-tool-results' } },
    );
    expect(result.text).toBe('Done.');
    expect(JSON.stringify(bodies[3]).length).toBeLessThan(JSON.stringify(bodies[2]).length - 1_000);
  });
});

it('is told by an event in the middle of an answer, too', async () => {
  const answer = new Response(toServerSentEvents([{ ...error, type: 'error' }]), {
    headers: { 'content-type': 'text/event-stream' },
  });
  await expect(runOpenAI(prompt, [answer], { streaming: true })).rejects.toMatchObject({
    code: 'evaluation-context-exceeded',
  });
});

it('is not what every refused request comes to', async () => {
  const answer = () => Response.json({ error: { message: 'No such model.', code: 'x' } }, { status: 400 });
  await expect(runOpenAI(prompt, [answer])).rejects.toMatchObject({
    phase: 'request',
    code: 'evaluation-request-failed',
    cause: { status: 400 },
  });
});
