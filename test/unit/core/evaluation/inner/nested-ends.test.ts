import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  Deadline,
  DeadlineExceededError,
  type PromptResponse,
  Session,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  TransactionClosedError,
} from 'weakincentives';
import { evaluationFailure } from '../../../../support/failure.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { add, Count, calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';

const unheard: unknown[] = [];
const listen = (reason: unknown): void => {
  unheard.push(reason);
};
beforeEach(() => {
  unheard.length = 0;
  process.on('unhandledRejection', listen);
});
afterEach(async () => {
  await nextTurn();
  process.off('unhandledRejection', listen);
  expect(unheard).toEqual([]);
});

/** A turn of the model that never comes, and the promise that it was asked for. */
const silence = () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  return {
    asked,
    turn: async (): Promise<never> => {
      isAsked();
      return new Promise<never>(() => undefined);
    },
  };
};

describe('the end of the run', () => {
  test.each(['abort', 'deadline'] as const)('by %s ends the inner evaluation and the call', async (how) => {
    const clock = createManualClock();
    const session = new Session({ clock });
    const { asked, turn } = silence();
    const inner: Promise<unknown>[] = [];
    const outer = delegate('state', async (context) => {
      const evaluation = context.adapter.evaluate(promptWith('inner', [add]));
      inner.push(evaluation);
      // That it is caught must not help.
      await evaluation.catch(() => undefined);
      return ToolResult.ok(null);
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const run = modelFor({
      outer: [calling('delegate')],
      inner: [{ ...calling('add'), usage: { inputTokens: 7 } }, turn],
    }).evaluate(promptWith('outer', [outer]), {
      session,
      clock,
      ...(how === 'abort'
        ? { signal: controller.signal }
        : { limits: { deadline: Deadline.after(100, clock) } }),
    });
    const ended = evaluationFailure(run);
    await asked;
    if (how === 'abort') controller.abort(reason);
    else clock.advance(100);
    const error = await ended;
    expect(error.code).toBe(how === 'abort' ? 'evaluation-aborted' : 'evaluation-deadline-exceeded');
    expect(error.phase).toBe('tool');
    if (how === 'abort') expect(error.cause).toBe(reason);
    else expect(DeadlineExceededError.isInstance(error.cause)).toBe(true);
    expect(error.usage).toEqual({ inputTokens: 7 });
    const innerError = await evaluationFailure(inner[0] ?? Promise.resolve());
    expect(innerError).toMatchObject({ code: error.code, promptName: 'inner' });
    expect(innerError.cause).toBe(error.cause);
    expect(session.slice(Count).all()).toEqual([]);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      toolName: 'delegate',
      outcome: 'aborted',
      reason: how === 'abort' ? 'aborted' : 'deadline',
    });
  });

  test('is found by the inner run before its timer says so', async () => {
    let now = 0;
    const clock = { now: () => now, schedule: () => () => undefined };
    const session = new Session({ clock });
    const outer = delegate('state', async (context) => {
      now = 100;
      const error = await evaluationFailure(context.adapter.evaluate(promptWith('inner', [])));
      expect(error.code).toBe('evaluation-deadline-exceeded');
      return ToolResult.ok(null, 'continued');
    });
    const error = await evaluationFailure(
      modelFor({ outer: [calling('delegate')] }).evaluate(promptWith('outer', [outer]), {
        session,
        clock,
        limits: { deadline: Deadline.after(100, clock) },
      }),
    );
    expect(error.code).toBe('evaluation-deadline-exceeded');
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ outcome: 'aborted', reason: 'deadline' });
  });
});

describe('an end of its own', () => {
  test.each(['abort', 'deadline'] as const)("by %s is the handler's to handle", async (how) => {
    const clock = createManualClock();
    const session = new Session({ clock });
    const { asked, turn } = silence();
    const controller = new AbortController();
    const outer = delegate('state', async (context) => {
      const error = await evaluationFailure(
        context.adapter.evaluate(
          promptWith('inner', []),
          how === 'abort'
            ? { signal: controller.signal }
            : { limits: { deadline: Deadline.after(10, clock) } },
        ),
      );
      return ToolResult.ok(null, `Ended by ${error.code}.`);
    });
    const run = modelFor({ outer: [calling('delegate')], inner: [turn] }).evaluate(
      promptWith('outer', [outer]),
      { session, clock, limits: { deadline: Deadline.after(1_000, clock) } },
    );
    await asked;
    if (how === 'abort') controller.abort();
    else clock.advance(10);
    await run;
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'committed',
      message: `Ended by evaluation-${how === 'abort' ? 'aborted' : 'deadline-exceeded'}.`,
    });
  });

  test('that nobody catches is a failed result', async () => {
    const clock = createManualClock();
    const session = new Session({ clock });
    const { asked, turn } = silence();
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', []), {
        limits: { deadline: Deadline.after(10, clock) },
      });
      return ToolResult.ok(null);
    });
    const run = modelFor({ outer: [calling('delegate')], inner: [turn] }).evaluate(
      promptWith('outer', [outer]),
      { session, clock },
    );
    await asked;
    clock.advance(10);
    expect((await run).text).toBe('outer done');
    expect(session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'rolled-back',
      reason: 'threw',
    });
  });
});

describe('the end of the call', () => {
  test('by its time limit ends the inner evaluation', async () => {
    const clock = createManualClock();
    const session = new Session({ clock });
    const { asked, turn } = silence();
    const inner: Promise<PromptResponse>[] = [];
    const outer = delegate(
      'state',
      async (context) => {
        const evaluation = context.adapter.evaluate(promptWith('inner', [add]));
        inner.push(evaluation);
        await evaluation;
        return ToolResult.ok(null);
      },
      { timeoutMs: 50 },
    );
    const run = modelFor({ outer: [calling('delegate')], inner: [calling('add'), turn] }).evaluate(
      promptWith('outer', [outer]),
      { session, clock },
    );
    await asked;
    clock.advance(50);
    await run;
    expect((await evaluationFailure(inner[0] ?? Promise.resolve())).code).toBe('evaluation-aborted');
    expect(session.slice(Count).all()).toEqual([]);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ reason: 'timeout' });
  });

  test.each(['returns', 'throws'] as const)(
    'ends an evaluation that the handler leaves behind when it %s',
    async (how) => {
      const session = new Session();
      const { asked, turn } = silence();
      const inner: Promise<PromptResponse>[] = [];
      const outer = delegate('state', async (context) => {
        inner.push(context.adapter.evaluate(promptWith('inner', [add])));
        await asked;
        if (how === 'throws') throw new Error('No.');
        return ToolResult.ok(null);
      });
      await modelFor({ outer: [calling('delegate')], inner: [turn] }).evaluate(promptWith('outer', [outer]), {
        session,
      });
      const error = await evaluationFailure(inner[0] ?? Promise.resolve());
      expect(error.code).toBe('evaluation-aborted');
      expect(TransactionClosedError.isInstance(error.cause)).toBe(true);
      expect(String(error.cause)).toContain('has to await what it evaluates');
    },
  );

  test('closes the adapter and everything that inner handlers hold', async () => {
    const held: ToolContext[] = [];
    const keep = delegate(
      'state',
      async (context) => {
        held.push(context);
        return ToolResult.ok(null);
      },
      { name: 'keep' },
    );
    const outer = delegate('state', async (context) => {
      held.push(context);
      await context.adapter.evaluate(promptWith('inner', [keep]));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('keep')] }).evaluate(
      promptWith('outer', [outer]),
    );
    expect(held).toHaveLength(2);
    for (const context of held) {
      const late = await context.adapter.evaluate(promptWith('late', [])).catch((error: unknown) => error);
      expect(TransactionClosedError.isInstance(late)).toBe(true);
      expect(() => context.session.slice(Count).latest()).toThrow(TransactionClosedError);
    }
  });
});
