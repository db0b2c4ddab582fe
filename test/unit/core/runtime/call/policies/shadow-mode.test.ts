import { describe, expect, test } from 'vitest';
import {
  defineEvent,
  defineSlice,
  PolicyDecision,
  PolicyState,
  type RunEvent,
  type Slice,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { withoutPlaces } from '../../../../../support/event-places.ts';
import { only, runCalls } from '../../../../../support/run-calls.ts';

const Seen = defineEvent({ name: 'seen', schema: z.object({ by: z.string() }) });
const Seens: Slice<{ by: string }> = defineSlice({
  name: 'seens',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Seen, (items, payload) => items.append(payload))],
});
const write = tool({
  name: 'write',
  description: 'Writes.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('notes.md', 'new');
    return ToolResult.ok(null);
  },
});
const setup = { tools: [write], slices: [Seens], calls: [{ name: 'write' }], enforce: false } as const;
const shadows = (events: readonly RunEvent[]) => events.filter(({ type }) => type === 'policy-unenforced');

describe('without enforcement', () => {
  test('every policy is asked, nothing is denied or asked of anyone, and what would have been is reported', async () => {
    const policies: readonly ToolPolicy[] = [
      { name: 'open', check: () => PolicyDecision.allow() },
      { name: 'closed', check: () => PolicyDecision.deny('closed today') },
      { name: 'careful', check: () => PolicyDecision.ask('sure?') },
      {
        name: 'broken',
        check: () => {
          throw new Error('kaboom');
        },
      },
      // What a policy answers that was written without types.
      { name: 'odd', check: () => 'deny' as unknown as PolicyDecision },
      {
        name: 'reviewed',
        checkChanges: (_call, changes) => PolicyDecision.ask(`look at ${changes[0]?.path ?? 'nothing'}`),
      },
    ];
    let asked = 0;
    const { invocations, filesystem, events, texts } = await runCalls({
      ...setup,
      policies,
      approve: () => ((asked += 1), false),
    });
    const unenforced = [
      { policy: 'closed', outcome: 'deny', reason: 'closed today' },
      { policy: 'careful', outcome: 'ask', reason: 'sure?' },
      { policy: 'broken', outcome: 'deny', reason: 'its check failed: kaboom' },
      { policy: 'odd', outcome: 'deny', reason: 'its check returned no decision' },
      { policy: 'reviewed', outcome: 'ask', reason: 'look at notes.md' },
    ];
    const invocation = only(invocations);
    expect(invocation).toMatchObject({ outcome: 'committed', unenforced });
    expect(invocation).not.toHaveProperty('approvals');
    expect(JSON.parse(JSON.stringify(invocation))).toEqual(invocation);
    expect(asked).toBe(0);
    expect((await filesystem.read('notes.md')).text).toBe('new');
    expect(only(texts)).not.toContain('denied');
    expect(withoutPlaces(shadows(events))).toEqual(
      unenforced.map((finding) => ({
        type: 'policy-unenforced',
        turn: 1,
        callId: 'call-1-1',
        toolName: 'write',
        attempt: 1,
        ...finding,
      })),
    );
  });

  test('policies record what succeeds, and one that cannot does not fail the call', async () => {
    const { invocations, session } = await runCalls({
      ...setup,
      policies: [
        { name: 'closed', check: () => PolicyDecision.deny('no') },
        { name: 'fragile', onResult: async () => Promise.reject(new Error('full')) },
        {
          name: 'ledger',
          onResult: (_call, _result, context) => context.session.dispatch(Seen, { by: 'ledger' }),
        },
        sequentialDependencyPolicy({ dependencies: { other: ['write'] } }),
      ],
      tools: [write, tool({ name: 'other', description: 'Other.', execute: () => ToolResult.ok(null) })],
    });
    expect(session.slice(Seens).all()).toEqual([{ by: 'ledger' }]);
    expect(session.slice(PolicyState).all()).toMatchObject([{ invokedTools: ['write'] }]);
    expect(only(invocations)).toMatchObject({
      outcome: 'committed',
      unenforced: [
        { policy: 'closed', outcome: 'deny' },
        { policy: 'fragile', outcome: 'deny', reason: 'it could not record the success: full' },
      ],
    });
  });

  test('the record names what the last attempt met, the events name each', async () => {
    const counting: ToolPolicy = {
      name: 'first-only',
      check: (_call, { session }) => {
        const { length } = session.slice(Seens).all();
        return length === 0 ? PolicyDecision.allow() : PolicyDecision.deny(`${length} before`);
      },
      onResult: (_call, _result, { session }) => session.dispatch(Seen, { by: 'x' }),
    };
    const { invocations, events } = await runCalls({
      ...setup,
      policies: [counting],
      calls: [{ name: 'write' }, { name: 'write' }],
    });
    expect(
      invocations.map(({ attempts, unenforced }) => [attempts, unenforced?.map(({ reason }) => reason)]),
    ).toEqual([
      [1, undefined],
      [2, ['1 before']],
    ]);
    expect(shadows(events)).toMatchObject([{ callId: 'call-1-2', attempt: 2 }]);
  });

  test('a call that nothing would have stopped says nothing of it', async () => {
    const { invocations } = await runCalls({
      ...setup,
      policies: [{ name: 'open', check: () => PolicyDecision.allow() }],
    });
    expect(only(invocations)).not.toHaveProperty('unenforced');
  });

  test('only a plain false lets go of the policies', async () => {
    for (const enforce of [undefined, 0, null, true]) {
      const { invocations } = await runCalls({
        ...setup,
        // What may be passed where nothing checks types.
        enforce: enforce as boolean,
        policies: [{ name: 'closed', check: () => PolicyDecision.deny('no') }],
      });
      expect(only(invocations)).toMatchObject({ outcome: 'denied', policy: 'closed' });
    }
  });
});
