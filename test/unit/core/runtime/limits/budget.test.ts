import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  type Budget,
  BudgetExceededError,
  BudgetTracker,
  type Prompt,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  type TokenUsage,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelTurn, providerAdapter, ThrottleError } from 'weakincentives/provider';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../../support/act.ts';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const promptOf = (tools: readonly AnyTool[] = []): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key: 'budget',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
  }).bind();

const tokens = (inputTokens: number, outputTokens = 10): TokenUsage => ({ inputTokens, outputTokens });
const calls = (usage: TokenUsage | undefined, ...names: readonly string[]): ScriptedTurn => ({
  toolCalls: names.map((name) => ({ name })),
  ...(usage === undefined ? {} : { usage }),
});
const answer = (usage: TokenUsage): ScriptedTurn => ({ text: 'done', usage });

/** A run of these turns, and what it came to. */
const start = (
  turns: readonly ScriptedTurn[],
  budget: Budget | BudgetTracker,
  tools: readonly AnyTool[] = [],
) => {
  const asked: number[] = [];
  const events: RunEvent[] = [];
  const session = new Session();
  const run = scriptedAdapter((_conversation, { turn }) => {
    asked.push(turn);
    return turns[turn - 1] ?? { text: 'past the script' };
  }).evaluate(promptOf(tools), {
    limits: { budget },
    session,
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  return { run, asked, events, session };
};

describe('a budget that is passed', () => {
  test('by the first turn keeps its tool calls from starting', async () => {
    let ran = 0;
    const work = act('work', () => void (ran += 1));
    const { run, asked, session, events } = start(
      [calls(tokens(95), 'work', 'work')],
      { maxTotalTokens: 100 },
      [work],
    );
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget', usage: tokens(95) });
    expect(BudgetExceededError.isInstance(error.cause) && error.cause.details).toEqual({
      limit: 'maxTotalTokens',
      value: 105,
      maximum: 100,
    });
    expect(error.message).toContain('input and output tokens reached 105, and maxTotalTokens is 100');
    expect([ran, asked]).toEqual([0, [1]]);
    // Well formed: every call has its result.
    expect(error.conversation.map(({ type }) => type)).toEqual(['assistant', 'tool-result', 'tool-result']);
    const records = session.slice(ToolCallLog).all();
    expect(records.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['aborted', 'budget'],
      ['aborted', 'budget'],
    ]);
    expect(records[0]?.message).toContain('the budget of the run is used up');
    expect(withoutPlaces(events.filter(({ type }) => type === 'budget-exceeded'))).toEqual([
      { type: 'budget-exceeded', turn: 1, limit: 'maxTotalTokens', value: 105, maximum: 100 },
    ]);
  });

  test('counts every turn, not only the last', async () => {
    const work = act('work', () => undefined);
    const turns = [1, 2, 3].map(() => calls(tokens(60), 'work'));
    const { run, asked } = start([...turns, answer(tokens(60))], { maxTotalTokens: 100 }, [work]);
    const error = await evaluationFailure(run);
    expect(error.code).toBe('evaluation-budget-exceeded');
    // The second turn would have come to 140.
    expect(asked).toEqual([1]);
    expect(error.conversation.map(({ type }) => type)).toEqual(['assistant', 'tool-result']);
  });

  test('in mid-batch keeps the calls behind from starting, and what is done is kept', async () => {
    const tracker = new BudgetTracker({ maxOutputTokens: 100 });
    const ran: string[] = [];
    const outside = (name: string, execute: (context: ToolContext) => unknown) =>
      act(name, execute, { effects: 'external' });
    const { run, session } = start([calls(tokens(1), 'first', 'second', 'third')], tracker, [
      outside('first', () => void ran.push('first')),
      outside('second', () => {
        ran.push('second');
        tracker.count({ inputTokens: 1, outputTokens: 100 });
      }),
      outside('third', () => void ran.push('third')),
    ]);
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
    expect(ran).toEqual(['first', 'second']);
    const outcomes = session
      .slice(ToolCallLog)
      .all()
      .map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['committed', 'committed', 'aborted']);
  });

  test('lets a call that runs at the same time finish', async () => {
    const tracker = new BudgetTracker({ maxOutputTokens: 100 });
    const door = gate();
    const { run, session } = start([calls(tokens(1), 'slow', 'spender')], tracker, [
      act('slow', () => door.pass()),
      act('spender', () => {
        tracker.count({ inputTokens: 1, outputTokens: 100 });
        door.open();
      }),
    ]);
    expect((await evaluationFailure(run)).phase).toBe('budget');
    const outcomes = session
      .slice(ToolCallLog)
      .all()
      .map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['committed', 'committed']);
  });

  test('by the final turn does not take the answer away, and is told', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 100 });
    const { run, events } = start([answer(tokens(1_000))], tracker);
    const response = await run;
    expect(response.text).toBe('done');
    expect(response.budgetExceeded).toEqual({ limit: 'maxTotalTokens', value: 1_010, maximum: 100 });
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'budget-exceeded',
      'turn-end',
      'run-end',
    ]);
    // The next run on it does not begin.
    const next = start([answer(tokens(1))], tracker);
    expect(await evaluationFailure(next.run)).toMatchObject({
      code: 'evaluation-budget-exceeded',
      phase: 'budget',
    });
    expect(next.asked).toEqual([]);
  });

  test('by an answer that cannot be used is counted all the same', async () => {
    const tracker = new BudgetTracker({}, { isLimitRequired: false });
    const repeated = { type: 'tool-call', callId: 'same', name: 'work', arguments: '' } as const;
    const adapter = providerAdapter({
      model: {
        name: 'faulty',
        generate: (): ModelTurn => ({
          content: [repeated, repeated],
          finishReason: 'tool-calls',
          usage: tokens(7),
        }),
      },
    });
    const error = await evaluationFailure(adapter.evaluate(promptOf(), { limits: { budget: tracker } }));
    expect(error).toMatchObject({ code: 'evaluation-response-invalid', usage: tokens(7) });
    expect(tracker.usage).toEqual(tokens(7));
  });

  test('counts an answer that comes after the run was aborted', async () => {
    const tracker = new BudgetTracker({}, { isLimitRequired: false });
    const door = gate();
    const abort = new AbortController();
    const run = scriptedAdapter(async () => {
      await door.pass();
      return answer(tokens(7));
    }).evaluate(promptOf(), { limits: { budget: tracker }, signal: abort.signal });
    await door.reached;
    abort.abort();
    expect((await evaluationFailure(run)).code).toBe('evaluation-aborted');
    expect(tracker.usage).toEqual({});
    door.open();
    await expect.poll(() => tracker.usage).toEqual(tokens(7));
  });
});

describe('a next turn that cannot fit', () => {
  const work = act('work', () => undefined);

  test('is not made: the limit itself leaves no room', async () => {
    const { run, asked, session } = start(
      [calls(tokens(90), 'work'), answer(tokens(1))],
      { maxTotalTokens: 100 },
      [work],
    );
    const error = await evaluationFailure(run);
    // The limit is not passed, so the calls of the turn ran.
    expect(session.slice(ToolCallLog).all()).toMatchObject([{ outcome: 'committed' }]);
    expect(asked).toEqual([1]);
    expect(BudgetExceededError.isInstance(error.cause) && error.cause.details).toEqual({
      limit: 'maxTotalTokens',
      value: 100,
      maximum: 100,
      needed: 191,
    });
    expect(error.message).toContain('does not allow another turn');
  });

  test('takes as much input as the last one, at the lowest price', async () => {
    const prices = { inputPerMillion: 10_000, cachedInputPerMillion: 1_000, outputPerMillion: 0 };
    const turns = [calls(tokens(100), 'work'), answer(tokens(100))];
    const enough = start(turns, { maxCost: 1.1, prices }, [work]);
    expect((await enough.run).budgetExceeded).toEqual({ limit: 'maxCost', value: 2, maximum: 1.1 });
    const short = start(turns, { maxCost: 1.09, prices }, [work]);
    expect((await evaluationFailure(short.run)).code).toBe('evaluation-budget-exceeded');
    expect(short.asked).toEqual([1]);
  });

  test.each([
    [true, { text: 'Done.' }],
    [false, 'evaluation-budget-exceeded'],
  ])('may be smaller after the provider shortened the conversation: %s', async (isCompacted, expected) => {
    const call = (callId: string) => ({ type: 'tool-call', callId, name: 'work', arguments: '{}' }) as const;
    const turns: readonly ModelTurn[] = [
      { content: [call('c1')], finishReason: 'tool-calls', usage: tokens(90_000), isCompacted },
      { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop', usage: tokens(12_000) },
    ];
    const noTurn: ModelTurn = { content: [], finishReason: 'stop' };
    const model = { name: 'm', generate: ({ turn }: { turn: number }) => turns[turn - 1] ?? noTurn };
    const seen: unknown[] = [];
    const run = providerAdapter({ model }).evaluate(promptOf([work]), {
      limits: { budget: { maxTotalTokens: 150_000 } },
      observers: [
        { onEvent: (event) => event.type === 'model-call-end' && seen.push(event.isCompacted ?? 'absent') },
      ],
    });
    const ended = await run.catch((error: { readonly code?: unknown }) => error.code);
    if (typeof expected === 'string') expect(ended).toBe(expected);
    else expect(ended).toMatchObject(expected);
    expect(seen).toEqual(isCompacted ? [true, 'absent'] : ['absent']);
  });

  test('is made when it costs nothing', async () => {
    const prices = { inputPerMillion: 0, outputPerMillion: 0 };
    const { run } = start([calls(tokens(1e9), 'work'), answer(tokens(1e9))], { maxCost: 0.01, prices }, [
      work,
    ]);
    expect((await run).text).toBe('done');
  });

  test('is not asked for again after a wait', async () => {
    const clock = createManualClock();
    const tracker = new BudgetTracker({ maxTotalTokens: 100 });
    let asked = 0;
    const waiting = gate();
    const run = scriptedAdapter(() => {
      asked += 1;
      throw new ThrottleError('busy', { kind: 'rate-limit' });
    }).evaluate(promptOf(), {
      limits: { budget: tracker },
      clock,
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'model-call-retry') void waiting.pass();
          },
        },
      ],
    });
    await waiting.reached;
    // Another run on the same budget.
    tracker.count(tokens(100));
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(60_000);
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-budget-exceeded',
      phase: 'budget',
    });
    expect(asked).toBe(1);
  });
});

describe('what is not known', () => {
  test('a price, with a limit on the cost, is refused before anything is asked', async () => {
    let asked = 0;
    const script = () => ((asked += 1), answer(tokens(1)));
    const prices = { inputPerMillion: 1, outputPerMillion: 1 };
    await expect(
      scriptedAdapter(script).evaluate(promptOf(), { limits: { budget: { maxCost: 1 } } }),
    ).rejects.toThrow('what the model "scripted model" costs is not known');
    expect(asked).toBe(0);
    await scriptedAdapter(script, { prices }).evaluate(promptOf(), { limits: { budget: { maxCost: 1 } } });
    await scriptedAdapter(script).evaluate(promptOf(), { limits: { budget: { maxCost: 1, prices } } });
    expect(asked).toBe(2);
  });

  test('usage is warned about once in a run', async () => {
    const logger = recordingLogger();
    const tracker = new BudgetTracker({ maxTotalTokens: 100 });
    const adapter = scriptedAdapter([
      calls(undefined, 'work'),
      calls({ outputTokens: 5 }, 'work'),
      { text: 'done' },
    ]);
    const tools = [act('work', () => undefined)];
    await adapter.evaluate(promptOf(tools), { limits: { budget: tracker }, logger });
    expect(logger.lines.filter(({ message }) => message.includes('did not report'))).toHaveLength(1);
    expect([tracker.uncountedTurns, tracker.usage]).toEqual([3, { outputTokens: 5 }]);
    const silent = recordingLogger();
    await adapter.evaluate(promptOf(tools), { logger: silent });
    expect(silent.lines.filter(({ message }) => message.includes('did not report'))).toEqual([]);
  });

  test('usage is estimated, so that a budget ends the run', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 150 });
    const adapter = scriptedAdapter([
      calls(undefined, 'work'),
      calls(undefined, 'work'),
      calls(undefined, 'work'),
      { text: 'done' },
    ]);
    const long = tool({
      name: 'work',
      description: 'Works.',
      effects: 'read',
      execute: () => ToolResult.ok(null, 'word '.repeat(100)),
    });
    const error = await evaluationFailure(
      adapter.evaluate(promptOf([long]), { limits: { budget: tracker } }),
    );
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
    expect(error.message).toMatch(/\(with \d+ estimated tokens, which the provider did not report\)/);
    expect(tracker.usage).toEqual({});
    expect(tracker.estimatedUsage.inputTokens).toBeGreaterThan(100);
    expect(tracker.remaining().totalTokens).toBe(0);
  });

  test('only what was not reported is estimated', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 10_000 });
    const adapter = scriptedAdapter([
      calls({ inputTokens: 7, outputTokens: 3 }, 'work'),
      { text: 'x'.repeat(400), usage: { inputTokens: 9 } },
    ]);
    await adapter.evaluate(promptOf([act('work', () => undefined)]), { limits: { budget: tracker } });
    expect(tracker.usage).toEqual({ inputTokens: 16, outputTokens: 3 });
    expect(tracker.estimatedUsage).toEqual({ outputTokens: 100 });
    expect(tracker.remaining().totalTokens).toBe(10_000 - 119);
  });

  test('usage can be made an error', async () => {
    let ran = 0;
    const work = act('work', () => void (ran += 1));
    const { run } = start([calls(undefined, 'work')], { maxUncountedTurns: 0 }, [work]);
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-budget-exceeded', phase: 'budget' });
    expect(error.message).toContain('turns without reported tokens reached 1, and maxUncountedTurns is 0');
    expect(ran).toBe(0);
  });
});

describe('the option', () => {
  test.each<[unknown, string]>([
    [{ maxTokens: 5 }, 'no option "budget.maxTokens"'],
    [7, 'A budget: budget must be an object'],
    [{ remaining: () => ({}) }, 'or a BudgetTracker'],
  ])('does not take %j', async (budget, text) => {
    const run = scriptedAdapter([answer(tokens(1))]).evaluate(promptOf(), {
      limits: { budget: budget as Budget },
    });
    await expect(run).rejects.toThrow(PromptValidationError);
    await expect(run).rejects.toThrow(text);
  });

  test('limits are for one run, a tracker for all it is given to', async () => {
    const limits = { maxTotalTokens: 100 };
    const tracker = new BudgetTracker(limits);
    for (const budget of [limits, limits, tracker, tracker]) {
      const { run } = start([answer(tokens(50))], budget);
      await run;
    }
    expect(tracker.exceeded).toMatchObject({ value: 120 });
  });

  test('is what the handler sees', async () => {
    const tracker = new BudgetTracker({ maxTotalTokens: 100 });
    const seen: unknown[] = [];
    const look = act('look', ({ budgetTracker }) => {
      seen.push(budgetTracker === tracker, budgetTracker?.usage, budgetTracker?.remaining());
    });
    await start([calls(tokens(20), 'look'), answer(tokens(20))], tracker, [look]).run;
    expect(seen).toEqual([true, tokens(20), { totalTokens: 70 }]);
    const none = act('look', (context) => void seen.push(context.budgetTracker));
    await scriptedAdapter([calls(tokens(1), 'look'), answer(tokens(1))]).evaluate(promptOf([none]));
    expect(seen.at(-1)).toBeUndefined();
  });
});
