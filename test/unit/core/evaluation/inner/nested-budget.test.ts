import { describe, expect, test } from 'vitest';
import {
  BudgetExceededError,
  BudgetTracker,
  type NestedEvaluateOptions,
  PromptEvaluationError,
  type RunEvent,
  Session,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import type { ScriptedTurn } from 'weakincentives/testing';
import type { BudgetTrackerPort } from '../../../../../src/core/tool/index.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import {
  Added,
  add,
  Count,
  calling,
  delegate,
  modelFor,
  promptWith,
} from '../../../../support/nested-setup.ts';

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 10 });
const spending = (inputTokens: number, ...names: readonly string[]): ScriptedTurn => ({
  ...(names.length === 0 ? { text: 'answered' } : calling(...names)),
  usage: usage(inputTokens),
});

/** An outer call that counts one, evaluates the inner prompt and does something with what comes of it. */
const delegating = (
  options: NestedEvaluateOptions = {},
  use: (inner: Promise<unknown>, context: ToolContext) => Promise<unknown> = async (inner) => inner,
) =>
  delegate('state', async (context) => {
    context.session.dispatch(Added, { by: 1 });
    await use(context.adapter.evaluate(promptWith('inner', [add]), options), context);
    return ToolResult.ok(null, 'delegated');
  });

describe('a budget that a run shares with the evaluations inside its calls', () => {
  test('counts all of them once', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 1_000 });
    const seen: (BudgetTrackerPort | undefined)[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: (_params, { budgetTracker }) => {
        seen.push(budgetTracker);
        return ToolResult.ok(null);
      },
    });
    const outer = delegate('state', async (context) => {
      // The same one by name is still one.
      await context.adapter.evaluate(promptWith('inner', [look]), { limits: { budget: tracker } });
      return ToolResult.ok(null);
    });
    const adapter = modelFor({
      outer: [spending(1, 'delegate'), spending(2)],
      inner: [spending(3, 'look'), spending(4)],
    });
    const response = await adapter.evaluate(promptWith('outer', [outer]), { limits: { budget: tracker } });
    expect(response.usage).toEqual({ inputTokens: 10, outputTokens: 40 });
    expect(tracker.usage).toEqual(response.usage);
    expect(seen).toEqual([tracker]);
  });

  test('passed inside ends the run, and nothing of the call is left', async () => {
    const session = new Session();
    const events: RunEvent[] = [];
    const asked: RunEvent[] = [];
    const adapter = modelFor({
      outer: [spending(1, 'delegate')],
      inner: [spending(1, 'add'), spending(200, 'add')],
    });
    const run = adapter.evaluate(promptWith('outer', [delegating()]), {
      session,
      limits: { budget: { maxTotalTokens: 100 } },
      observers: [
        {
          onEvent: (event) => {
            events.push(event);
            if (event.type === 'model-call-start') asked.push(event);
          },
        },
      ],
    });
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
    expect(BudgetExceededError.isInstance(error.cause) && error.cause.details).toMatchObject({
      limit: 'maxTotalTokens',
      value: 232,
      maximum: 100,
    });
    expect(error.usage).toEqual({ inputTokens: 202, outputTokens: 30 });
    expect(error.conversation.map(({ type }) => type)).toEqual(['assistant', 'tool-result']);
    expect(session.slice(Count).latest()).toBeUndefined();
    expect(asked).toHaveLength(3);
    // Told once, where it happened.
    const passed = events.filter(({ type }) => type === 'budget-exceeded');
    expect(passed).toMatchObject([{ turn: 2, value: 232, path: [{ turn: 1 }] }]);
  });

  test('passed by the last turn inside: the call keeps what it did, and the run ends behind it', async () => {
    const session = new Session();
    const adapter = modelFor({ outer: [spending(1, 'delegate', 'add')], inner: [spending(200)] });
    const answers: unknown[] = [];
    const outer = delegating({}, async (inner) => answers.push(await inner));
    const run = adapter.evaluate(promptWith('outer', [outer, add]), {
      session,
      limits: { budget: { maxTotalTokens: 100 }, maxConcurrentCalls: 1 },
    });
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-budget-exceeded',
      phase: 'budget',
    });
    expect(answers).toMatchObject([{ text: 'answered', budgetExceeded: { limit: 'maxTotalTokens' } }]);
    expect(session.slice(Count).latest()).toEqual({ total: 1 });
    const records = session.slice(ToolCallLog).where(({ parentCallIds }) => parentCallIds === undefined);
    expect(records.map(({ toolName, outcome, reason }) => [toolName, outcome, reason])).toEqual([
      ['delegate', 'committed', undefined],
      ['add', 'aborted', 'budget'],
    ]);
  });

  test('cannot be got round by a handler that catches the error', async () => {
    const caught: unknown[] = [];
    const outer = delegating({}, async (inner, context) => {
      await inner.catch((error: unknown) => caught.push(error));
      await context.adapter
        .evaluate(promptWith('inner', [add]))
        .catch((error: unknown) => caught.push(error));
    });
    let asked = 0;
    const adapter = modelFor({
      outer: [spending(1, 'delegate'), async () => ((asked += 1), spending(1))],
      inner: [spending(200, 'add')],
    });
    const session = new Session();
    const run = adapter.evaluate(promptWith('outer', [outer]), {
      session,
      limits: { budget: { maxTotalTokens: 100 } },
    });
    expect((await evaluationFailure(run)).code).toBe('evaluation-budget-exceeded');
    expect(caught.map((error) => PromptEvaluationError.isInstance(error) && error.code)).toEqual([
      'evaluation-budget-exceeded',
      'evaluation-budget-exceeded',
    ]);
    expect(asked).toBe(0);
    // What the handler did with it is its own affair, and is kept.
    expect(session.slice(Count).latest()).toEqual({ total: 1 });
  });

  test('that does not hold another turn inside ends the run', async () => {
    const adapter = modelFor({ outer: [spending(1, 'delegate')], inner: [spending(60, 'add')] });
    const run = adapter.evaluate(promptWith('outer', [delegating()]), {
      limits: { budget: { maxTotalTokens: 100 } },
    });
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
    expect(BudgetExceededError.isInstance(error.cause) && error.cause.details).toMatchObject({
      value: 81,
      needed: 142,
    });
  });

  test('is passed while evaluations run at the same time: none of them begins anything more', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 100 });
    const door = gate();
    let spent = 0;
    const started: string[] = [];
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effects: 'state',
      execute: () => {
        started.push(`after ${spent}`);
        return ToolResult.ok(null);
      },
    });
    const inner = (name: string) =>
      delegate(
        'state',
        async (context) => {
          await context.adapter.evaluate(promptWith(name, [note]));
          return ToolResult.ok(null);
        },
        { name },
      );
    const slow = async (): Promise<ScriptedTurn> => {
      await door.pass();
      return { ...calling('note'), usage: usage(1) };
    };
    const fast = async (): Promise<ScriptedTurn> => {
      await door.reached;
      spent = 200;
      return { ...calling('note'), usage: usage(200) };
    };
    const adapter = modelFor({ outer: [spending(1, 'fast', 'slow')], fast: [fast], slow: [slow] });
    const run = adapter.evaluate(promptWith('outer', [inner('fast'), inner('slow')]), {
      limits: { budget: tracker },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'budget-exceeded' && event.path.length > 0) door.open();
          },
        },
      ],
    });
    expect((await evaluationFailure(run)).code).toBe('evaluation-budget-exceeded');
    await expect.poll(() => tracker.usage).toEqual({ inputTokens: 202, outputTokens: 30 });
    expect(started).toEqual([]);
  });
});

describe('a budget of an evaluation of its own', () => {
  test('ends that evaluation only, and its handler decides', async () => {
    const inner = new BudgetTracker({ maxTotalTokens: 50 });
    const tracker = new BudgetTracker({ maxTotalTokens: 1_000 });
    const caught: unknown[] = [];
    const outer = delegating({ limits: { budget: inner } }, async (evaluation) =>
      evaluation.catch((error: unknown) => caught.push(error)),
    );
    const adapter = modelFor({
      outer: [spending(1, 'delegate'), spending(1)],
      inner: [spending(60, 'add')],
    });
    const response = await adapter.evaluate(promptWith('outer', [outer]), { limits: { budget: tracker } });
    expect(caught).toMatchObject([{ code: 'evaluation-budget-exceeded', phase: 'budget' }]);
    expect(response.budgetExceeded).toBeUndefined();
    expect(inner.usage).toEqual(usage(60));
    expect(tracker.usage).toEqual({ inputTokens: 62, outputTokens: 30 });
  });

  test('that is passed and not handled fails the call', async () => {
    const adapter = modelFor({ outer: [spending(1, 'delegate'), spending(1)], inner: [spending(60, 'add')] });
    const outer = delegating({ limits: { budget: { maxTotalTokens: 50 } } });
    const { conversation } = await adapter.evaluate(promptWith('outer', [outer]), {
      limits: { budget: { maxTotalTokens: 1_000 } },
    });
    expect(conversation[1]).toMatchObject({ type: 'tool-result', isError: true });
    expect(conversation[1]).toMatchObject({ text: expect.stringContaining('maxTotalTokens is 50') });
  });

  test('does not loosen that of the run', async () => {
    const adapter = modelFor({ outer: [spending(1, 'delegate')], inner: [spending(200, 'add')] });
    const outer = delegating({ limits: { budget: { maxTotalTokens: 1_000_000 } } });
    const run = adapter.evaluate(promptWith('outer', [outer]), {
      limits: { budget: { maxTotalTokens: 100 } },
    });
    expect((await evaluationFailure(run)).code).toBe('evaluation-budget-exceeded');
  });

  test('must be one that can be counted', async () => {
    const texts: string[] = [];
    const outer = delegating({ limits: { budget: { maxCost: 1 } } }, async (inner) =>
      inner.catch((error: unknown) => texts.push(String(error))),
    );
    await modelFor({ outer: [spending(1, 'delegate')] }).evaluate(promptWith('outer', [outer]));
    expect(texts).toEqual([expect.stringContaining('costs is not known')]);
  });
});

test('what a superseded attempt spent is counted', async () => {
  const tracker = new BudgetTracker({}, { isLimitRequired: false });
  const session = new Session();
  const outer = delegate('state', async (context) => {
    const before = context.session.slice(Count).latest()?.total ?? 0;
    await context.adapter.evaluate(promptWith('inner', []));
    // Changes what the other call has read.
    context.session.dispatch(Added, { by: before + 1 });
    return ToolResult.ok(null);
  });
  const adapter = modelFor({
    outer: [spending(1, 'delegate', 'delegate'), spending(1)],
    inner: [spending(5)],
  });
  const { usage: spent } = await adapter.evaluate(promptWith('outer', [outer]), {
    session,
    limits: { budget: tracker },
  });
  const attempts = session
    .slice(ToolCallLog)
    .all()
    .map((call) => call.attempts);
  expect(attempts).toEqual([1, 2]);
  expect(tracker.usage).toEqual({ inputTokens: 17, outputTokens: 50 });
  expect(spent).toEqual(tracker.usage);
});

test('a call that would have to run again once the budget is passed is not run again', async () => {
  const session = new Session();
  let attempts = 0;
  const outer = delegate('state', async (context) => {
    attempts += 1;
    const before = context.session.slice(Count).latest()?.total ?? 0;
    await context.adapter.evaluate(promptWith('inner', []));
    context.session.dispatch(Added, { by: before + 1 });
    return ToolResult.ok(null);
  });
  const adapter = modelFor({ outer: [spending(1, 'delegate', 'delegate')], inner: [spending(50)] });
  const run = adapter.evaluate(promptWith('outer', [outer]), {
    session,
    limits: { budget: { maxTotalTokens: 100 } },
  });
  expect(await evaluationFailure(run)).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
  expect(attempts).toBe(2);
  const records = session.slice(ToolCallLog).all();
  expect(records.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['committed', undefined],
    ['aborted', 'budget'],
  ]);
  expect(session.slice(Count).latest()).toEqual({ total: 1 });
});
