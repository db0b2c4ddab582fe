import { describe, expect, it } from 'vitest';
import {
  type AnyResourceBinding,
  type AnyTool,
  binding,
  Deadline,
  DeadlineExceededError,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  PromptExecutionLog,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  type ToolRuntime,
  type ToolRuntimeOutput,
  TransactionClosedError,
} from 'weakincentives';
import { Accounts, bankOf, beginOn } from '../../../../support/accounts.ts';
import { act, spend } from '../../../../support/act.ts';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { Added, add, promptWith } from '../../../../support/nested-setup.ts';
import { only } from '../../../../support/run-calls.ts';
import { callsOf, textsOf, total, waitsInside } from '../../../../support/runtime-calls.ts';

describe('the end of a run', () => {
  /** A runtime with a call that waits inside its handler, after it has changed something and the calls before it are committed. */
  const waiting = async (
    options: Parameters<typeof openToolRuntime>[1] = {},
  ): Promise<{ runtime: ToolRuntime; session: Session; inside: Gate }> => {
    const inside = gate();
    const waits = waitsInside(inside);
    const session = options.session ?? new Session();
    const runtime = await openToolRuntime(promptWith('ends', [add, waits]), { ...options, session });
    return { runtime, session, inside };
  };

  it('by its signal rolls back what is not committed, answers every call, and rejects', async () => {
    const controller = new AbortController();
    const { runtime, session, inside } = await waiting({ signal: controller.signal });
    await using _ = runtime;
    const failure = evaluationFailure(runtime.runCalls(callsOf('add', 'waits', 'add')));
    await inside.reached;
    controller.abort('Enough.');
    const error = await failure;
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'tool', cause: 'Enough.' });
    expect(error.conversation.map((item) => ('text' in item ? item.text : item.type))).toEqual([
      'assistant',
      'Counted 1.',
      'The call of "waits" was not completed because the run was aborted. Its changes to session and files were rolled back, but its effects outside of them may remain.',
      'The call of "add" was not completed because the run was aborted. Its changes were rolled back.',
    ]);
    expect(total(session)).toBe(1);
    expect(session.slice(ToolCallLog).length).toBe(3);
    expect(runtime.signal.aborted).toBe(true);
    // It is over: what is still asked for is refused, and on record.
    expect(await evaluationFailure(runtime.runCalls(callsOf('add')))).toMatchObject({
      code: 'evaluation-aborted',
    });
    expect(total(session)).toBe(1);
    await runtime[Symbol.asyncDispose]();
    expect(only(session.slice(PromptExecutionLog).all())).toMatchObject({
      outcome: 'failed',
      error: { code: 'evaluation-aborted' },
    });
  });

  it('by its deadline', async () => {
    const clock = createManualClock();
    const { runtime, session, inside } = await waiting({
      clock,
      limits: { deadline: Deadline.after(1_000, clock) },
    });
    await using _ = runtime;
    const failure = evaluationFailure(runtime.runCalls(callsOf('waits')));
    await inside.reached;
    clock.advance(1_000);
    expect(await failure).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
    expect(total(session)).toBe(0);
    await runtime[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  it('by its budget lets nothing begin once the model has used it up', async () => {
    const events: RunEvent[] = [];
    const { runtime, session } = await waiting({
      limits: { budget: { maxTotalTokens: 100 } },
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    await using _ = runtime;
    expect(runtime.countUsage({ inputTokens: 90, outputTokens: 5 })).toBeUndefined();
    await runtime.runCalls(callsOf('add'));
    expect(runtime.budgetExceeded).toBeUndefined();
    const excess = { limit: 'maxTotalTokens', value: 195, maximum: 100 };
    expect(runtime.countUsage({ inputTokens: 95, outputTokens: 5 })).toEqual(excess);
    expect(runtime.budgetExceeded).toEqual(excess);
    expect(withoutPlaces(events.filter(({ type }) => type === 'budget-exceeded'))).toEqual([
      { type: 'budget-exceeded', turn: 1, ...excess },
    ]);
    const error = await evaluationFailure(runtime.runCalls(callsOf('add')));
    expect(error).toMatchObject({
      code: 'evaluation-budget-exceeded',
      phase: 'budget',
      usage: { inputTokens: 185 },
    });
    expect(total(session)).toBe(1);
    expect(session.slice(ToolCallLog).latest()).toMatchObject({ outcome: 'aborted', reason: 'budget' });
    expect(runtime.signal.aborted).toBe(true);
  });

  it('by a handler', async () => {
    const interrupts = act('interrupts', ({ session }) => {
      session.dispatch(Added, { by: 10 });
      throw new DeadlineExceededError('Too late.');
    });
    const session = new Session();
    await using runtime = await openToolRuntime(promptWith('interrupted', [add, interrupts]), { session });
    const error = await evaluationFailure(runtime.runCalls(callsOf('add', 'interrupts', 'add')));
    expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
    expect(total(session)).toBe(1);
    expect(session.slice(ToolCallLog).length).toBe(3);
  });

  it('by its watchdog, which looks at the calls only', async () => {
    const clock = createManualClock();
    const { runtime, inside } = await waiting({ clock, limits: { idleTimeoutMs: 1_000 } });
    await using _ = runtime;
    // The model thinks, for longer than that.
    for (let second = 0; second < 5; second += 1) clock.advance(1_000);
    expect(textsOf(await runtime.runCalls(callsOf('add')))).toEqual(['Counted 1.']);
    for (let second = 0; second < 5; second += 1) clock.advance(1_000);
    const failure = evaluationFailure(runtime.runCalls(callsOf('waits')));
    await inside.reached;
    clock.advance(999);
    clock.advance(1_001);
    expect(await failure).toMatchObject({ code: 'evaluation-idle', phase: 'tool' });
  });

  it('by disposing it gives up what runs and what waits', async () => {
    const { runtime, session, inside } = await waiting({ clock: createManualClock() });
    const first = evaluationFailure(runtime.runCalls(callsOf('add', 'waits')));
    const second = runtime.runCalls(callsOf('add')).catch((error: unknown) => error);
    const third = runtime.call({ callId: 'x', name: 'add', arguments: '' }).catch((error: unknown) => error);
    await inside.reached;
    await runtime[Symbol.asyncDispose]();
    // It waited for what ran, and the record of the run comes last.
    expect(session.slice(ToolCallLog).length).toBe(2);
    expect(session.slice(PromptExecutionLog).latest()).toMatchObject({ outcome: 'failed', turns: 1 });
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    expect((await first).cause).toBeInstanceOf(TransactionClosedError);
    expect(await second).toBeInstanceOf(TransactionClosedError);
    expect(await third).toBeInstanceOf(TransactionClosedError);
    expect(total(session)).toBe(1);
    // It let go of the session.
    await using next = await openToolRuntime(promptWith('next', [add]), { session });
    expect(textsOf(await next.runCalls(callsOf('add')))).toEqual(['Counted 2.']);
  });
});

describe('a signal that comes with calls', () => {
  it('gives up a turn, and the runtime continues', async () => {
    const controller = new AbortController();
    const inside = gate();
    const waits = waitsInside(inside);
    await using runtime = await openToolRuntime(promptWith('turn', [add, waits]));
    const { signal } = controller;
    const failure = evaluationFailure(runtime.runCalls(callsOf('add', 'waits', 'add'), { signal }));
    await inside.reached;
    controller.abort('Stop this.');
    const error = await failure;
    inside.open();
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'tool', cause: 'Stop this.' });
    expect(error.message).toContain('The call "c2" of "waits" was aborted by its caller');
    expect(total(runtime.session)).toBe(1);
    expect(runtime.signal.aborted).toBe(false);
    expect(textsOf(await runtime.runCalls(callsOf('add')))).toEqual(['Counted 2.']);
    expect(await evaluationFailure(runtime.runCalls(callsOf('add'), { signal }))).toMatchObject({
      code: 'evaluation-aborted',
    });
    expect(textsOf(await runtime.runCalls(callsOf('add')))).toEqual(['Counted 3.']);
  });

  it('changes nothing once its calls are committed', async () => {
    const controller = new AbortController();
    await using runtime = await openToolRuntime(
      promptWith('late', [act('aborts', () => ToolResult.ok(null, 'Done.'))]),
      { observers: [{ onEvent: (event) => event.type === 'tool-call-end' && controller.abort() }] },
    );
    expect(textsOf(await runtime.runCalls(callsOf('aborts'), { signal: controller.signal }))).toEqual([
      'Done.',
    ]);
  });

  it('gives up one call of several, and the others continue', async () => {
    const controller = new AbortController();
    const inside = gate();
    const waits = waitsInside(inside);
    await using runtime = await openToolRuntime(promptWith('one', [add, waits]));
    const before = runtime.call({ callId: 'a', name: 'add', arguments: '' });
    const failure = evaluationFailure(
      runtime.call({ callId: 'b', name: 'waits', arguments: '' }, { signal: controller.signal }),
    );
    const behind = runtime.call({ callId: 'c', name: 'add', arguments: '' });
    await inside.reached;
    controller.abort('Not this one.');
    expect(await failure).toMatchObject({ code: 'evaluation-aborted', cause: 'Not this one.' });
    expect((await before).text).toBe('Counted 1.');
    expect((await behind).text).toBe('Counted 2.');
    expect((await behind).invocation.turn).toBe(1);
    expect(runtime.signal.aborted).toBe(false);
  });
});

describe('a call that is given up', () => {
  const giveUp = async (
    tools: readonly AnyTool[],
    resources: readonly AnyResourceBinding[],
    reached: Promise<void>,
  ): Promise<{
    readonly first: unknown;
    readonly second: Promise<ToolRuntimeOutput>;
    runtime: ToolRuntime;
  }> => {
    const controller = new AbortController();
    const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools });
    const prompt = promptTemplate({ ns: 'test', key: 'given-up', sections: [task], resources }).bind();
    const runtime = await openToolRuntime(prompt);
    const [one, other] = tools.map(({ name }) => name);
    const first = runtime
      .call({ callId: 'a', name: one ?? '', arguments: '' }, { signal: controller.signal })
      .catch((error: unknown) => error);
    const second = runtime.call({ callId: 'b', name: other ?? '', arguments: '' });
    await reached;
    controller.abort();
    return { first, second, runtime };
  };

  it('leaves nothing in a resource that the call behind it works on', async () => {
    const bank = bankOf({ a: 10 });
    const lines: string[] = [];
    const beginning = gate();
    let begun = 0;
    const serial = {
      begin: async (accounts: Accounts) => {
        begun += 1;
        const name = `part ${begun}`;
        lines.push(`begin ${name}`);
        if (begun === 1) await beginning.pass();
        return beginOn(accounts, { lines, name });
      },
    };
    const bound = binding<Accounts>(Accounts, { instance: bank, transactional: serial });
    const { first, second, runtime } = await giveUp(
      [act('one', spend(1)), act('two', spend(2))],
      [bound],
      beginning.reached,
    );
    await using _ = runtime;
    // The part that is just being begun is waited for: it would be undone behind the back of the next one.
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
    expect(lines).toEqual(['begin part 1']);
    beginning.open();
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    expect((await second).isError).toBe(false);
    expect(lines).toEqual([
      'begin part 1',
      'close part 1',
      'rollback part 1',
      'begin part 2',
      'close part 2',
      'commit part 2',
    ]);
    expect(bank.get('a')).toBe(8);
  });

  it('does not keep one from its place that has run beside it', async () => {
    const inside = gate();
    const waits = act('waits', async ({ filesystem }) => {
      await filesystem.write('a', 'never');
      await inside.pass();
    });
    const writes = act('writes', ({ filesystem }) => filesystem.write('b', 'kept').then(() => undefined));
    const files = new MemoryFilesystem();
    const { first, second, runtime } = await giveUp(
      [waits, writes],
      [binding(Filesystem, { instance: files })],
      inside.reached,
    );
    await using _ = runtime;
    expect((await second).invocation).toMatchObject({ outcome: 'committed', attempts: 1 });
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    inside.open();
    expect((await files.list('.')).map(({ path }) => path)).toEqual(['b']);
  });

  it('ends with the run like any other, whatever its own signal', async () => {
    const controller = new AbortController();
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('both', [waitsInside(inside)]), {
      signal: controller.signal,
    });
    const own = new AbortController();
    const failure = evaluationFailure(runtime.runCalls(callsOf('waits'), { signal: own.signal }));
    await inside.reached;
    controller.abort('All of it.');
    expect(await failure).toMatchObject({ code: 'evaluation-aborted', cause: 'All of it.' });
    expect(runtime.signal.aborted).toBe(true);
    own.abort('Too late.');
  });
});

describe('calls that come one by one', () => {
  it('are gathered to turns: those that come together, also while a turn runs', async () => {
    const gathers = [gate(), gate()];
    let gathered = 0;
    const clock = {
      ...createManualClock(),
      yieldToTimers: () => gathers[gathered++]?.pass() ?? Promise.resolve(),
    };
    const inside = gate();
    const waits = act('waits', () => inside.pass());
    await using runtime = await openToolRuntime(promptWith('gathered', [add, waits]), { clock });
    const call = (callId: string, name: string) => runtime.call({ callId, name, arguments: '' });
    const first = [call('a', 'add'), call('b', 'waits'), call('c', 'add')];
    await gathers[0]?.reached;
    first.push(call('d', 'add'));
    const twice = await evaluationFailure(call('a', 'add'));
    expect(twice).toMatchObject({ code: 'evaluation-response-invalid' });
    gathers[0]?.open();
    await inside.reached;
    // The id of a call that runs already belongs to another turn.
    const second = [call('a', 'add'), call('e', 'add')];
    await gathers[1]?.reached;
    gathers[1]?.open();
    const arrived = await Promise.all(second);
    inside.open();
    const outputs = [...arrived, ...(await Promise.all(first))];
    // The calls after the waiting one in its turn are repeated on what those that have arrived left.
    expect(outputs.map(({ callId, invocation, text }) => [callId, invocation.turn, text])).toEqual([
      ['a', 2, 'Counted 2.'],
      ['e', 2, 'Counted 3.'],
      ['a', 1, 'Counted 1.'],
      ['b', 1, 'waits done'],
      ['c', 1, 'Counted 4.'],
      ['d', 1, 'Counted 5.'],
    ]);
  });

  it('are gathered until timers have had their turn, whatever clock there is', async () => {
    const clock = createManualClock();
    await using runtime = await openToolRuntime(promptWith('timers', [add]), { clock });
    const answers = ['a', 'b'].map((callId) => runtime.call({ callId, name: 'add', arguments: '' }));
    while (clock.pending === 0) await Promise.resolve();
    clock.advance(0);
    expect((await Promise.all(answers)).map(({ invocation }) => invocation.turn)).toEqual([1, 1]);
    await using other = await openToolRuntime(promptWith('system', [add]));
    const outputs = await Promise.all(
      ['a', 'b'].map((callId) => other.call({ callId, name: 'add', arguments: '' })),
    );
    expect(outputs.map(({ invocation }) => invocation.turn)).toEqual([1, 1]);
  });

  it('are not waited for when the run ends while they are gathered', async () => {
    const clock = createManualClock();
    const runtime = await openToolRuntime(promptWith('ended', [add]), { clock });
    const answer = runtime.call({ callId: 'a', name: 'add', arguments: '' }).catch((error: unknown) => error);
    await runtime[Symbol.asyncDispose]();
    expect(await answer).toBeInstanceOf(TransactionClosedError);
  });
});
