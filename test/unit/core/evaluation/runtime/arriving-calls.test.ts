import { describe, expect, it } from 'vitest';
import {
  BudgetExceededError,
  binding,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  PolicyDecision,
  promptTemplate,
  type RunEvent,
  section,
  type ToolPolicy,
  TransactionClosedError,
} from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { Added, add, Count, promptWith } from '../../../../support/nested-setup.ts';
import { callsOf, total } from '../../../../support/runtime-calls.ts';

const read = act('read', ({ session }) => void session.slice(Count).latest(), { effects: 'read' });

/** Reads the count, waits at the gate, and adds 10. */
const slow = (inside: Gate, effects: 'state' | 'external' = 'state') =>
  act(
    'slow',
    async ({ session }) => {
      const before = session.slice(Count).latest()?.total ?? 0;
      await inside.pass();
      session.dispatch(Added, { by: before === 0 ? 10 : 20 });
    },
    { effects },
  );

const named = (callId: string, name: string) => ({ callId, name, arguments: '' });

describe('a call that arrives while another one runs', () => {
  it('is answered at once when it only reads', async () => {
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('read', [slow(inside), read]));
    const running = runtime.call(named('a', 'slow'));
    await inside.reached;
    const answer = await runtime.call(named('b', 'read'));
    expect(answer).toMatchObject({ text: 'read done', invocation: { turn: 2, outcome: 'committed' } });
    expect(total(runtime.session)).toBe(0);
    inside.open();
    expect((await running).invocation).toMatchObject({ turn: 1, attempts: 1, outcome: 'committed' });
    expect(total(runtime.session)).toBe(10);
  });

  it('is committed when it ends; one that had read what it changed is repeated', async () => {
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('write', [slow(inside), add]));
    const running = runtime.call(named('a', 'slow'));
    await inside.reached;
    expect((await runtime.call(named('b', 'add'))).text).toBe('Counted 1.');
    inside.open();
    expect((await running).invocation).toMatchObject({ attempts: 2, outcome: 'committed' });
    // As if the slow one had begun after the other.
    expect(total(runtime.session)).toBe(21);
  });

  it('runs while a whole turn runs, which waits for the turns before it alone', async () => {
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('turns', [slow(inside), add]));
    const first = runtime.runCalls(callsOf('slow', 'add'));
    await inside.reached;
    const second = runtime.runCalls(callsOf('add'));
    const arrived = await runtime.call(named('z', 'add'));
    expect(arrived.text).toBe('Counted 1.');
    inside.open();
    expect((await first).map(({ text }) => text)).toEqual(['slow done', 'Counted 22.']);
    expect((await second).map(({ text }) => text)).toEqual(['Counted 23.']);
  });

  it('with effects outside waits for it, and later ones wait for that', async () => {
    const inside = gate();
    const order: string[] = [];
    const outside = act('outside', () => void order.push('outside'), { effects: 'external' });
    const note = act('note', () => void order.push('note'));
    await using runtime = await openToolRuntime(promptWith('barrier', [slow(inside), outside, note]));
    const running = runtime.call(named('a', 'slow'));
    await inside.reached;
    const waiting = runtime.call(named('b', 'outside'));
    const later = runtime.call(named('c', 'note'));
    // Both are in the scheduler when a third one has gone through the gathering of calls.
    const failed = await evaluationFailure(runtime.call({ callId: '', name: 'note', arguments: '' }));
    expect(failed).toMatchObject({ code: 'evaluation-response-invalid' });
    expect(order).toEqual([]);
    inside.open();
    await Promise.all([running, waiting, later]);
    expect(order).toEqual(['outside', 'note']);
  });

  it('waits when calls may not run at the same time', async () => {
    const inside = gate();
    await using runtime = await openToolRuntime(promptWith('one', [slow(inside), add]), {
      limits: { maxConcurrentCalls: 1 },
    });
    const running = runtime.call(named('a', 'slow'));
    await inside.reached;
    const later = runtime.call(named('b', 'add'));
    inside.open();
    expect((await running).invocation.attempts).toBe(1);
    expect((await later).text).toBe('Counted 11.');
  });

  it('is committed while a person is asked about the changes of the other one', async () => {
    const asked = gate();
    const question: ToolPolicy = {
      name: 'look-at-files',
      checkChanges: () => PolicyDecision.ask('Look at it.'),
    };
    const writes = act('writes', async ({ filesystem, session }) => {
      await filesystem.write('a.txt', `${session.slice(Count).latest()?.total ?? 0}`);
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'asked',
      policies: [question],
      resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
      sections: [
        section({ title: 'Task', key: 'task', template: 'Do it.', tools: [writes, add], slices: [Count] }),
      ],
    }).bind();
    await using runtime = await openToolRuntime(prompt, {
      approve: async () => {
        await asked.pass();
        return true;
      },
    });
    const pending = runtime.call(named('a', 'writes'));
    await asked.reached;
    expect((await runtime.call(named('b', 'add'))).text).toBe('Counted 1.');
    asked.open();
    // What it had read has changed, and so have the changes that were approved: it is repeated, and asked about again.
    expect((await pending).invocation).toMatchObject({ outcome: 'committed', attempts: 2 });
  });

  it('can be given up alone', async () => {
    const inside = gate();
    const own = new AbortController();
    await using runtime = await openToolRuntime(promptWith('alone', [slow(inside), add]));
    const running = runtime.call(named('a', 'slow'), { signal: own.signal });
    await inside.reached;
    const arrived = runtime.call(named('b', 'add'));
    own.abort(new Error('Enough.'));
    expect(await evaluationFailure(running)).toMatchObject({ code: 'evaluation-aborted' });
    expect((await arrived).text).toBe('Counted 1.');
    expect(runtime.signal.aborted).toBe(false);
  });

  it('ends with it when it ends the run', async () => {
    const inside = gate();
    const events: RunEvent[] = [];
    const ends = act('ends', () => {
      throw new BudgetExceededError('No more.', { details: {} });
    });
    await using runtime = await openToolRuntime(promptWith('ends', [slow(inside), ends]), {
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    const running = evaluationFailure(runtime.call(named('a', 'slow')));
    await inside.reached;
    expect(await evaluationFailure(runtime.call(named('b', 'ends')))).toMatchObject({
      code: 'evaluation-budget-exceeded',
    });
    expect((await running).code).toBe('evaluation-interrupted');
    expect(runtime.signal.aborted).toBe(true);
    const ended = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation] : []));
    expect(ended.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['b', 'aborted'],
      ['a', 'aborted'],
    ]);
  });

  it('ends, also when it waits for its turn, when the other one cannot be ended', async () => {
    const inside = gate();
    const ran: string[] = [];
    const outside = act('outside', () => void ran.push('outside'), { effects: 'external' });
    const runtime = await openToolRuntime(promptWith('broken', [slow(inside), outside]));
    const running = evaluationFailure(runtime.call(named('a', 'slow')));
    await inside.reached;
    const waiting = evaluationFailure(runtime.call(named('b', 'outside')));
    await runtime.session[Symbol.asyncDispose]();
    inside.open();
    expect((await running).code).toBe('evaluation-tools-failed');
    await waiting;
    expect(ran).toEqual([]);
    await runtime[Symbol.asyncDispose]();
  });

  it('is rolled back with it when the runtime is disposed', async () => {
    const inside = [gate(), gate()];
    const closed = [...inside];
    const waits = act('waits', async ({ session }) => {
      session.dispatch(Added, { by: 1 });
      await closed.shift()?.pass();
    });
    const runtime = await openToolRuntime(promptWith('disposed', [waits]));
    const { session } = runtime;
    const failures = ['a', 'b'].map((callId) => evaluationFailure(runtime.call(named(callId, 'waits'))));
    await Promise.all(inside.map(({ reached }) => reached));
    await runtime[Symbol.asyncDispose]();
    for (const failure of failures) expect((await failure).code).toBe('evaluation-aborted');
    expect(total(session)).toBe(0);
    await expect(runtime.call(named('c', 'waits'))).rejects.toBeInstanceOf(TransactionClosedError);
  });
});
