import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  defineSlice,
  type Slice,
  type ToolContext,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { gate } from '../../../../../support/gate.ts';
import { createManualClock } from '../../../../../support/manual-clock.ts';
import { runCalls, startCalls } from '../../../../../support/run-calls.ts';

const Trail: Slice<{ step: string }> = defineSlice({
  name: 'trail',
  schema: z.object({ step: z.string() }),
  policy: 'log',
});

/** Waits for its abort signal and then tries to continue logging, which outlives a rollback if it lands. */
const stubborn = (waiting: { pass(): Promise<void> }, late: unknown[]) =>
  tool({
    name: 'stubborn',
    description: 'Continues after it was told to stop.',
    effects: 'state',
    timeoutMs: 100,
    execute: async (_params, context: ToolContext) => {
      const log = (step: string): void => context.session.slice(Trail).append({ step });
      log('begun');
      context.signal.addEventListener('abort', () => {
        try {
          log('too late');
        } catch (error) {
          late.push(error);
        }
      });
      await waiting.pass();
      return ToolResult.ok(null);
    },
  });

describe('a handler that is given up is cut off before its signal tells it', () => {
  test('at its own time limit', async () => {
    const clock = createManualClock();
    const waiting = gate();
    const late: unknown[] = [];
    const run = startCalls({
      clock,
      slices: [Trail],
      tools: [stubborn(waiting, late)],
      calls: [{ name: 'stubborn' }],
    });
    await waiting.reached;
    clock.advance(100);
    const { session } = await run.finished;
    expect(late).toEqual([expect.any(TransactionClosedError)]);
    expect(session.slice(Trail).all()).toEqual([{ step: 'begun' }]);
  });

  test('at the end of the run', async () => {
    const waiting = gate();
    const late: unknown[] = [];
    const abort = new AbortController();
    const run = startCalls({
      clock: createManualClock(),
      signal: abort.signal,
      slices: [Trail],
      tools: [stubborn(waiting, late)],
      calls: [{ name: 'stubborn' }],
    });
    await waiting.reached;
    abort.abort(new Error('stop'));
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(late).toEqual([expect.any(TransactionClosedError)]);
    expect(run.session.slice(Trail).all()).toEqual([{ step: 'begun' }]);
  });
});

describe('a handler whose answer is no promise of the language', () => {
  const answering = (then: PromiseLike<ToolResult<null>>['then']) =>
    tool({
      name: 'answering',
      description: 'Answers in its own way.',
      effects: 'state',
      execute: () => ({ then }) as Promise<ToolResult<null>>,
    });

  test('is given up at the end of the run also when it resolves with a promise that never settles', async () => {
    const abort = new AbortController();
    const begun = gate();
    const run = startCalls({
      clock: createManualClock(),
      signal: abort.signal,
      tools: [
        answering((resolve) => {
          void begun.pass();
          resolve?.(new Promise<never>(() => undefined) as never);
          return new Promise<never>(() => undefined);
        }),
      ],
      calls: [{ name: 'answering' }],
    });
    await begun.reached;
    await nextTurn();
    abort.abort(new Error('stop'));
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
  });

  test('fails its call when it throws in the place of answering', async () => {
    const { texts } = await runCalls({
      clock: createManualClock(),
      tools: [
        answering(() => {
          throw new Error('no answer');
        }),
      ],
      calls: [{ name: 'answering' }],
    });
    expect(texts).toEqual(['The tool "answering" failed: no answer']);
  });
});
