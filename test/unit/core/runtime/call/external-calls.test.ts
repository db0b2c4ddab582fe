import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  MemoryFilesystem,
  PolicyDecision,
  PromptEvaluationError,
  resourceToken,
  Session,
  type Slice,
  type ToolContext,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { only, runCalls, startCalls } from '../../../../support/run-calls.ts';
import { unheardRejections } from '../../../../support/unheard-rejections.ts';

const Spent = defineEvent({ name: 'spent', schema: z.object({ amount: z.number() }) });
const limit = 10;
const Expenses: Slice<{ amount: number }> = defineSlice({
  name: 'expenses',
  schema: z.object({ amount: z.number() }),
  reducers: (on) => [
    on(Spent, (items, payload) => {
      let total = payload.amount;
      for (const { amount } of items) total += amount;
      if (total > limit) throw new Error(`over the limit: ${total}`);
      return items.append(payload);
    }),
  ],
});
const amountsIn = (session: Session): readonly number[] =>
  session
    .slice(Expenses)
    .all()
    .map(({ amount }) => amount);
const prepared = (): Session => {
  const session = new Session();
  session.install(Expenses);
  return session;
};

const pay = (act: (context: ToolContext) => unknown, extra: object = {}): AnyTool =>
  tool({
    name: 'pay',
    description: 'Pays for real and notes it.',
    effects: 'external',
    ...extra,
    execute: async (_params, context) => {
      context.session.slice(Expenses).all();
      context.session.dispatch(Spent, { amount: 3 });
      await context.filesystem.write('receipt.txt', 'paid 3');
      // What a handler returns beside a result is part of what is tested.
      return ((await act(context)) ?? ToolResult.ok(null, 'Paid 3.')) as ToolResult<null>;
    },
  });

describe('a running external call', () => {
  test('is not disturbed by a change from outside: it is not run again, and its events are put on the new state', async () => {
    const session = prepared();
    let runs = 0;
    const { invocations, filesystem } = await runCalls({
      session,
      tools: [
        pay(() => {
          runs += 1;
          session.dispatch(Spent, { amount: 5 });
        }),
      ],
      calls: [{ name: 'pay' }],
    });
    expect(runs).toBe(1);
    expect(only(invocations)).toMatchObject({ outcome: 'committed', attempts: 1, conflicts: [] });
    expect(amountsIn(session)).toEqual([5, 3]);
    expect((await filesystem.read('receipt.txt')).text).toBe('paid 3');
  });

  test('whose events are refused by the new state is a failed result that names what stands', async () => {
    const session = prepared();
    const { invocations, texts, filesystem, response } = await runCalls({
      session,
      tools: [pay(() => session.dispatch(Spent, { amount: 8 }))],
      calls: [{ name: 'pay' }],
    });
    expect(only(invocations)).toMatchObject({
      outcome: 'rolled-back',
      reason: 'commit-failed',
      success: false,
      attempts: 1,
      changes: [],
    });
    expect(only(texts)).toMatch(/"pay".*does not fit the present state.*Its effects outside remain/);
    expect(amountsIn(session)).toEqual([8]);
    expect(await filesystem.stat('receipt.txt')).toBeUndefined();
    expect(response.text).toBe('done');
  });

  test('that returned success is committed although the run was aborted meanwhile', async () => {
    const abort = new AbortController();
    const reason = new Error('stop');
    const run = startCalls({
      session: prepared(),
      signal: abort.signal,
      tools: [pay(() => undefined)],
      policies: [{ name: 'observer', checkChanges: () => (abort.abort(reason), PolicyDecision.allow()) }],
      calls: [{ name: 'pay' }, { name: 'pay' }],
    });
    await expect(run.finished).rejects.toMatchObject({
      code: 'evaluation-aborted',
      phase: 'tool',
      cause: reason,
    });
    expect(run.invocations.map(({ outcome, reason: why }) => [outcome, why])).toEqual([
      ['committed', undefined],
      ['aborted', 'aborted'],
    ]);
    expect(amountsIn(run.session)).toEqual([3]);
    expect((await run.filesystem.read('receipt.txt')).text).toBe('paid 3');
  });

  test('that aborts the run and returns success at once is committed', async () => {
    const abort = new AbortController();
    const run = startCalls({
      session: prepared(),
      signal: abort.signal,
      tools: [
        tool({
          name: 'pay',
          description: 'Pays and stops.',
          execute: (_params, context) => {
            context.session.dispatch(Spent, { amount: 3 });
            abort.abort();
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'pay' }],
    });
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(only(run.invocations).outcome).toBe('committed');
    expect(amountsIn(run.session)).toEqual([3]);
  });

  test('is committed with all of its later steps when the run was aborted: output schema, resources, policies', async () => {
    const abort = new AbortController();
    const acts: string[] = [];
    const act = async (what: string): Promise<void> => {
      await Promise.resolve();
      acts.push(what);
    };
    const Pad = resourceToken<AsyncDisposable>('pad');
    const ledger: ToolPolicy = {
      name: 'ledger',
      checkChanges: async () => {
        await act('changes checked');
        return PolicyDecision.allow();
      },
      onResult: () => act('result recorded'),
    };
    const run = startCalls({
      session: prepared(),
      signal: abort.signal,
      tools: [
        pay(
          async ({ resources }) => {
            await resources.get(Pad);
            return ToolResult.ok({ paid: 3 });
          },
          {
            outputSchema: z.object({
              paid: z.number().refine(async () => {
                abort.abort();
                await act('value checked');
                return true;
              }),
            }),
          },
        ),
      ],
      resources: [
        binding(Pad, {
          create: () => ({ [Symbol.asyncDispose]: () => act('resource disposed') }),
          scope: 'tool-call',
        }),
      ],
      policies: [ledger],
      calls: [{ name: 'pay' }],
    });
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(only(run.invocations)).toMatchObject({ outcome: 'committed', value: { paid: 3 } });
    // A schema library may run an asynchronous check twice.
    expect([...new Set(acts)]).toEqual([
      'value checked',
      'resource disposed',
      'changes checked',
      'result recorded',
    ]);
    expect(amountsIn(run.session)).toEqual([3]);
  });

  test('that was aborted before it returned says that its effects may stand', async () => {
    const abort = new AbortController();
    const waiting = gate();
    const run = startCalls({
      session: prepared(),
      signal: abort.signal,
      tools: [pay(() => waiting.pass())],
      calls: [{ name: 'pay' }],
    });
    await waiting.reached;
    abort.abort();
    const error: unknown = await run.finished.catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error)).toBe(true);
    expect(only(run.invocations)).toMatchObject({ outcome: 'aborted', reason: 'aborted' });
    expect(only(run.invocations).message).toMatch(/was aborted.*outside.*remain/);
    expect(only(run.invocations).message).not.toContain('Its changes were rolled back');
    expect(amountsIn(run.session)).toEqual([]);
  });

  test('that ran into its time limit says that its effects may stand', async () => {
    const clock = createManualClock();
    const waiting = gate();
    const run = startCalls({
      session: prepared(),
      clock,
      tools: [pay(() => waiting.pass(), { timeoutMs: 50 })],
      calls: [{ name: 'pay' }],
    });
    await waiting.reached;
    clock.advance(50);
    const { texts } = await run.finished;
    expect(only(texts)).toMatch(/50 ms.*outside.*remain/);
    expect(only(texts)).not.toContain('Its changes were rolled back');
    expect(amountsIn(run.session)).toEqual([]);
  });

  const late: readonly (readonly [what: string, policy: ToolPolicy, extra: object])[] = [
    [
      'a denial of its changes',
      { name: 'guard', checkChanges: () => PolicyDecision.deny('no receipts') },
      {},
    ],
    [
      'changes that are not approved',
      { name: 'guard', checkChanges: () => PolicyDecision.ask('receipts?') },
      {},
    ],
    [
      'a policy that cannot record it',
      {
        name: 'guard',
        onResult: () => {
          throw new Error('ledger is full');
        },
      },
      {},
    ],
    [
      'a value that breaks its output schema',
      { name: 'guard', check: PolicyDecision.allow },
      { outputSchema: z.object({ paid: z.number() }) },
    ],
  ];
  test.each(late)('names what stands after %s', async (_what, policy, extra) => {
    const { texts, session, invocations } = await runCalls({
      session: prepared(),
      tools: [pay(() => undefined, extra)],
      policies: [policy],
      calls: [{ name: 'pay' }],
    });
    expect(only(invocations).outcome).not.toBe('committed');
    expect(only(texts)).toMatch(/Its effects outside .*remain/);
    expect(amountsIn(session)).toEqual([]);
  });

  test('that was denied before it began says nothing of effects', async () => {
    const { texts } = await runCalls({
      session: prepared(),
      tools: [pay(() => undefined)],
      policies: [{ name: 'guard', check: () => PolicyDecision.deny('not today') }],
      calls: [{ name: 'pay' }],
    });
    expect(only(texts)).toBe('The call of "pay" was denied by the policy "guard": not today');
  });

  test('whose question about changes nobody answers does not outlast the run, and nobody is asked after its end', async () => {
    const abort = new AbortController();
    const asking = gate();
    const careful: ToolPolicy = { name: 'careful', checkChanges: () => PolicyDecision.ask('keep it?') };
    const unheard = await unheardRejections(async () => {
      const run = startCalls({
        session: prepared(),
        signal: abort.signal,
        tools: [pay(() => undefined)],
        policies: [careful],
        approve: async () => {
          await asking.pass();
          return true;
        },
        calls: [{ name: 'pay' }],
      });
      await asking.reached;
      abort.abort();
      await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
      expect(only(run.invocations).outcome).toBe('aborted');
      expect(only(run.invocations).message).toMatch(/outside.*remain/);
      expect(amountsIn(run.session)).toEqual([]);
      asking.open();
    });
    expect(unheard).toEqual([]);

    let asked = 0;
    const early = new AbortController();
    const second = startCalls({
      session: prepared(),
      signal: early.signal,
      tools: [pay(() => undefined)],
      policies: [{ name: 'careful', checkChanges: () => (early.abort(), PolicyDecision.ask('keep it?')) }],
      approve: () => {
        asked += 1;
        return true;
      },
      calls: [{ name: 'pay' }],
    });
    await expect(second.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(asked).toBe(0);
    expect(only(second.invocations).outcome).toBe('aborted');
  });
});

describe('a call without effects outside', () => {
  test('that returned success before the abort, but was not committed yet, is rolled back', async () => {
    const abort = new AbortController();
    const first = gate();
    const session = prepared();
    const ready = gate();
    const run = startCalls({
      session,
      signal: abort.signal,
      filesystem: new MemoryFilesystem(),
      tools: [
        pay((context) => (context.callId === 'call-1-1' ? first.pass() : void ready.pass()), {
          effects: 'state',
        }),
      ],
      calls: [{ name: 'pay' }, { name: 'pay' }],
    });
    await Promise.all([first.reached, ready.reached]);
    abort.abort();
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted', phase: 'tool' });
    expect(run.invocations.map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted']);
    expect(run.invocations.map(({ message }) => message)).toEqual([
      'The call of "pay" was not completed because the run was aborted. Its changes were rolled back.',
      'The call of "pay" was not completed because the run was aborted. Its changes were rolled back.',
    ]);
    expect(amountsIn(session)).toEqual([]);
  });

  test('that aborts the run itself and returns success is rolled back', async () => {
    const abort = new AbortController();
    const run = startCalls({
      session: prepared(),
      signal: abort.signal,
      tools: [pay(() => abort.abort(), { effects: 'state' })],
      calls: [{ name: 'pay' }],
    });
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(only(run.invocations).outcome).toBe('aborted');
    expect(amountsIn(run.session)).toEqual([]);
  });
});
