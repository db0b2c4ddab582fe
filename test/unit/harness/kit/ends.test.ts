import { describe, expect, test } from 'vitest';
import {
  PromptEvaluationError,
  type RunEvent,
  Session,
  ToolResult,
  TransactionClosedError,
} from 'weakincentives';
import {
  type AgentHarness,
  type HarnessRequest,
  harnessAdapter,
  ModelResponseError,
  type ModelTurn,
} from 'weakincentives/provider';
import { createManualClock } from 'weakincentives/testing';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { fullCapabilities, loopHarness } from '../../../support/harness/loop-harness.ts';
import { Notes, notebook, noteTool } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const harnessOf = (run: AgentHarness['run'], capabilities = {}): AgentHarness => ({
  name: 'odd',
  capabilities,
  run,
});
const done = { text: 'Done.', finishReason: 'stop' } as const;

describe('a harness that fails ends the run', () => {
  test.each([
    ['with any error', new Error('The program exited with code 3.'), 'evaluation-request-failed', 'request'],
    [
      'with an answer that cannot be used',
      new ModelResponseError('model-response-invalid', 'It was garbled.'),
      'evaluation-response-invalid',
      'response',
    ],
    [
      'with a conversation that is too long',
      new ModelResponseError('model-context-exceeded', 'Too long.'),
      'evaluation-context-exceeded',
      'request',
    ],
  ])('%s', async (_what, cause, code, phase) => {
    const harness = harnessOf(() => Promise.reject(cause));
    const error = await evaluationFailure(harnessAdapter({ harness }).evaluate(notebook()));
    expect([error.code, error.phase, error.cause]).toEqual([code, phase, cause]);
    expect(error.message).toContain('"odd"');
  });

  test('when it throws at once', async () => {
    const harness = harnessOf(() => {
      throw new Error('No such program.');
    });
    const error = await evaluationFailure(harnessAdapter({ harness }).evaluate(notebook()));
    expect(error.message).toContain('The harness "odd" failed: No such program.');
  });

  test('with a turn that is none', async () => {
    // Harnesses are code of others.
    const wrong = { content: 'Done.', finishReason: 'stop' } as unknown as ModelTurn;
    const harness = harnessOf(async (_request, { onTurn, signal }) => {
      await onTurn(wrong);
      signal.throwIfAborted();
      return done;
    });
    const error = await evaluationFailure(harnessAdapter({ harness }).evaluate(notebook()));
    expect([error.code, error.phase]).toEqual(['evaluation-response-invalid', 'response']);
    expect(error.message).toContain('has no list of content');
  });

  test('with an empty answer', async () => {
    const harness = harnessOf(async () => ({ text: '', finishReason: 'stop' }));
    const error = await evaluationFailure(harnessAdapter({ harness }).evaluate(notebook()));
    expect(error.code).toBe('evaluation-response-invalid');
  });

  test('without telling its model what it was asked to', async () => {
    const harness = harnessOf(
      async (_request, { onAnswer }) => {
        await onAnswer(done);
        return done;
      },
      { followUps: true },
    );
    const run = harnessAdapter({ harness }).evaluate(notebook(), {
      completion: { name: 'never', check: () => ({ outcome: 'incomplete', feedback: 'More.' }) },
    });
    const error = await evaluationFailure(run);
    expect(error.message).toContain('ended without telling its model what was missing');
  });
});

describe('calls that run when the harness ends', () => {
  test('are rolled back', async () => {
    const door = gate();
    const slow = noteTool('note', async () => {
      await door.pass();
      return ToolResult.ok(null, 'Noted.');
    });
    const outputs: Promise<unknown>[] = [];
    const harness = harnessOf(async ({ tools }) => {
      outputs.push(tools.call({ callId: 'c1', name: 'note', arguments: { text: 'a' } }));
      outputs[0]?.catch(() => undefined);
      await door.reached;
      return done;
    });
    await using session = new Session();
    const events: RunEvent[] = [];
    const response = await harnessAdapter({ harness }).evaluate(notebook([slow]), {
      session,
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    expect(response.text).toBe('Done.');
    expect(session.slice(Notes).all()).toEqual([]);
    expect(
      events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation.outcome] : [])),
    ).toEqual(['aborted']);
    await expect(outputs[0]).rejects.toMatchObject({ code: 'evaluation-aborted' });
    door.open();
  });

  test('are refused afterwards', async () => {
    let tools: HarnessRequest['tools'] | undefined;
    const harness = harnessOf(async (request) => {
      ({ tools } = request);
      return done;
    });
    await harnessAdapter({ harness }).evaluate(notebook());
    await expect(tools?.call({ callId: 'c1', name: 'note', arguments: {} })).rejects.toBeInstanceOf(
      TransactionClosedError,
    );
  });
});

test('a handler that ends the run ends the harness, with all that was said', async () => {
  const stops = noteTool('note', () => {
    throw new PromptEvaluationError('evaluation-interrupted', 'Enough.', { phase: 'tool', promptName: 'x' });
  });
  const { model, requests } = scriptedModel([
    called([['note', { text: 'a' }]], { text: 'I note.' }),
    said('Done.'),
  ]);
  const adapter = harnessAdapter({ harness: loopHarness({ model }) });
  const error = await evaluationFailure(adapter.evaluate(notebook([stops]), { input: 'Go.' }));
  expect([error.code, error.phase]).toEqual(['evaluation-interrupted', 'tool']);
  expect(requests).toHaveLength(1);
  expect(error.conversation).toMatchObject([
    { type: 'user' },
    { type: 'assistant', content: [{ type: 'text' }, { type: 'tool-call', callId: 'c1' }] },
    { type: 'tool-result', callId: 'c1', isError: true },
  ]);
});

test('a harness that does not end when it is stopped is left, and that is logged', async () => {
  const clock = createManualClock();
  const controller = new AbortController();
  const harness = harnessOf((_request, { signal }) => {
    // The run waits for the harness by then.
    signal.addEventListener('abort', () => setImmediate(() => clock.advance(30_000)));
    queueMicrotask(() => controller.abort());
    return new Promise(() => undefined);
  });
  const logger = recordingLogger();
  const run = harnessAdapter({ harness }).evaluate(notebook(), { clock, logger, signal: controller.signal });
  expect((await evaluationFailure(run)).code).toBe('evaluation-aborted');
  expect(logger.lines).toContainEqual({
    level: 'error',
    message: 'A harness did not end after it was stopped. The run ends without it.',
    fields: { harness: 'odd' },
  });
});

test('what a harness says of its end is logged', async () => {
  const logger = recordingLogger();
  const harness = harnessOf(async () => ({ ...done, sessionId: 's-1', turns: 4, costUsd: 0.25 }));
  await harnessAdapter({ harness, name: 'mine' }).evaluate(notebook(), { logger });
  expect(logger.lines).toContainEqual({
    level: 'info',
    message: 'A harness has ended.',
    fields: { harness: 'odd', sessionId: 's-1', turns: 4, costUsd: 0.25 },
  });
});

test('leaving a stream ends the harness', async () => {
  let reason: unknown;
  const harness = harnessOf(
    (_request, { onDelta, onTurnStart, signal }) =>
      new Promise((_resolve, reject) => {
        void onTurnStart();
        void onDelta?.({ type: 'text-delta', text: 'Half' });
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(signal.reason);
        });
      }),
    fullCapabilities,
  );
  for await (const event of harnessAdapter({ harness }).stream(notebook()))
    if (event.type === 'text-delta') break;
  expect(reason).toMatchObject({ name: 'AbortError' });
});
