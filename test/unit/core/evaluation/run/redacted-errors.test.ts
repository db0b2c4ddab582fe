import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  OutputParseError,
  PromptEvaluationError,
  promptTemplate,
  redactSecrets,
  Session,
  section,
} from 'weakincentives';
import { ThrottleError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const secret = 'key-0123456789';
const redact = redactSecrets([secret]);
const prompt = promptTemplate({
  ns: 'test',
  key: 'errors',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
  output: z.object({ answer: z.number() }),
}).bind();

/** The error of an evaluation whose model throws this, or answers with this text. */
async function errorOf(
  thrown: unknown,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PromptEvaluationError> {
  const adapter = scriptedAdapter(() => {
    if (typeof thrown === 'string') return { text: thrown };
    throw thrown;
  });
  const error: unknown = await adapter
    .evaluate(prompt, { input: secret, redact, retry: false, ...options })
    .catch((reason: unknown) => reason);
  if (!PromptEvaluationError.isInstance(error)) throw new Error(`No PromptEvaluationError: ${String(error)}`);
  return error;
}

class ProviderError extends Error {
  readonly #hidden = secret;
  readonly status = 401;
  readonly headers = new Headers({ authorization: secret });
  readonly body = { [secret]: [`Bearer ${secret}`] };
  retry = (): string => this.#hidden;
}

describe('the error of a redacted evaluation', () => {
  test('is a copy of the same class, down to its causes', async () => {
    const cause = new ProviderError(`refused ${secret}`, { cause: new TypeError(secret) });
    const error = await errorOf(cause);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({
      name: 'PromptEvaluationError',
      code: 'evaluation-request-failed',
      phase: 'request',
    });
    expect(error.message).toContain('refused <redacted>');
    expect(error.stack).toContain('refused <redacted>');
    const copy: unknown = error.cause;
    if (!(copy instanceof ProviderError)) throw new Error('The cause has lost its class.');
    expect(copy).not.toBe(cause);
    expect(copy).toMatchObject({
      status: 401,
      message: 'refused <redacted>',
      body: { '<redacted>': ['Bearer <redacted>'] },
    });
    expect(copy.headers).not.toBeInstanceOf(Headers);
    expect(copy.retry).toBeUndefined();
    expect(copy.cause).toBeInstanceOf(TypeError);
    expect(copy.cause).toHaveProperty('message', '<redacted>');
    expect(inspect(error, { showHidden: true, depth: 20 })).not.toContain(secret);
    // What was thrown is somebody else's and stays as it was.
    expect(cause.message).toBe(`refused ${secret}`);
    expect(cause.headers.get('authorization')).toBe(secret);
  });

  test('carries the true conversation, which is not shown', async () => {
    const error = await errorOf(new Error('no'));
    expect(error.conversation).toEqual([{ type: 'user', content: [{ type: 'text', text: secret }] }]);
    expect(JSON.stringify(error)).not.toContain(secret);
    expect(Object.keys(error)).not.toContain('conversation');
  });

  test('keeps the kinds that programs read', async () => {
    const error = await errorOf(new ThrottleError(secret, { kind: 'quota', details: { body: secret } }));
    expect(ThrottleError.isInstance(error.cause)).toBe(true);
    expect(error.cause).toMatchObject({
      code: 'throttle-signaled',
      kind: 'quota',
      retrySafe: false,
      details: { body: '<redacted>' },
    });
  });

  test('hides an answer that does not fit', async () => {
    const error = await errorOf(`{"answer":"${secret}"}`);
    expect(OutputParseError.isInstance(error.cause)).toBe(true);
    expect(error.cause).toHaveProperty('details.text', '{"answer":"<redacted>"}');
  });

  test.each([
    ['an error', new RangeError('plain')],
    ['the reason of a signal', new DOMException('Enough.', 'AbortError')],
    ['a value', { plain: ['data', 1, null] }],
  ])('passes on %s in which there is nothing to hide', async (_what, reason) => {
    const error = await errorOf(new Error('not reached'), { signal: AbortSignal.abort(reason) });
    expect(error.cause).toBe(reason);
  });

  test('hides the reason of a signal of a class that looks into its instances', async () => {
    const error = await errorOf(new Error('not reached'), {
      signal: AbortSignal.abort(new DOMException(`No ${secret}.`, 'AbortError')),
    });
    expect(error.cause).toBeInstanceOf(DOMException);
    expect(String(error.cause)).toBe('AbortError: No <redacted>.');
    expect(inspect(error.cause, { showHidden: true })).not.toContain(secret);
  });

  test('is the very error without the option', async () => {
    const cause = new Error(secret);
    const error: unknown = await scriptedAdapter(() => {
      throw cause;
    })
      .evaluate(prompt, { session: new Session() })
      .catch((reason: unknown) => reason);
    expect(error).toHaveProperty('cause', cause);
  });
});
