import { describe, expect, test } from 'vitest';
import {
  type ApprovalHandler,
  Deadline,
  PolicyDecision,
  type RunEvent,
  ToolResult,
  tool,
} from 'weakincentives';
import { withoutPlaces } from '../../../../../support/event-places.ts';
import { gate } from '../../../../../support/gate.ts';
import { createManualClock } from '../../../../../support/manual-clock.ts';
import { only, runCalls, startCalls } from '../../../../../support/run-calls.ts';

const write = tool({
  name: 'write',
  description: 'Writes.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('notes.md', 'new');
    return ToolResult.ok(null);
  },
});
const setup = {
  tools: [write],
  calls: [{ name: 'write' }],
  policies: [
    { name: 'careful', check: () => PolicyDecision.ask('sure?') },
    { name: 'reviewed', checkChanges: () => PolicyDecision.ask('look at it') },
  ],
} as const;
const approvalsOf = (events: readonly RunEvent[]) =>
  events.filter(({ type }) => type === 'approval-start' || type === 'approval-end');

describe('what was asked', () => {
  test('is recorded with its answers, and told while it happens', async () => {
    const { invocations, events } = await runCalls({ ...setup, approve: () => true });
    const approvals = [
      { policy: 'careful', reason: 'sure?', about: 'call', approved: true },
      { policy: 'reviewed', reason: 'look at it', about: 'changes', approved: true },
    ];
    expect(only(invocations)).toMatchObject({ outcome: 'committed', approvals });
    expect(JSON.parse(JSON.stringify(only(invocations)))).toEqual(only(invocations));
    const call = { turn: 1, callId: 'call-1-1', toolName: 'write' };
    expect(withoutPlaces(approvalsOf(events))).toEqual([
      { type: 'approval-start', ...call, policy: 'careful', reason: 'sure?', about: 'call' },
      { type: 'approval-end', ...call, ...approvals[0] },
      {
        type: 'approval-start',
        ...call,
        policy: 'reviewed',
        reason: 'look at it',
        about: 'changes',
        changes: [{ path: 'notes.md', kind: 'created' }],
      },
      { type: 'approval-end', ...call, ...approvals[1] },
    ]);
  });

  test('is asked by nobody once a policy that answers at once has ended the run', async () => {
    const abort = new AbortController();
    const asked: string[] = [];
    const run = startCalls({
      ...setup,
      signal: abort.signal,
      policies: [
        {
          name: 'last',
          check: () => {
            abort.abort(new Error('stop'));
            return PolicyDecision.ask('sure?');
          },
        },
      ],
      approve: ({ policy }) => {
        asked.push(policy);
        return true;
      },
    });
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(asked).toEqual([]);
    expect(approvalsOf(run.events)).toEqual([]);
    expect(only(run.invocations)).toMatchObject({ outcome: 'aborted' });
  });

  test.each<[string, ApprovalHandler | undefined, string]>([
    ['a no with a reason', () => ({ approved: false, reason: 'not on a Friday' }), 'not on a Friday'],
    ['a plain no', () => false, 'it was not approved.'],
    ['a failure', () => Promise.reject(new Error('no line')), 'the approver failed: no line'],
    ['nobody', undefined, 'no approver is configured (option `approve`).'],
  ])('is recorded when the answer is %s', async (_name, approve, answer) => {
    const { invocations } = await runCalls({ ...setup, ...(approve === undefined ? {} : { approve }) });
    expect(only(invocations)).toMatchObject({
      outcome: 'denied',
      reason: 'not-approved',
      policy: 'careful',
      approvals: [{ policy: 'careful', about: 'call', approved: false, answer }],
    });
  });

  test('is absent where nothing was', async () => {
    const { invocations } = await runCalls({ ...setup, policies: [] });
    expect(only(invocations)).not.toHaveProperty('approvals');
  });
});

test.each(['check', 'checkChanges'] as const)(
  'the deadline continues while someone thinks about a question of %s, and a late answer is none',
  async (hook) => {
    const clock = createManualClock();
    const thinking = gate();
    const run = startCalls({
      ...setup,
      clock,
      limits: { deadline: Deadline.after(1_000, clock) },
      policies: [{ name: 'careful', [hook]: () => PolicyDecision.ask('sure?') }],
      approve: async () => {
        await thinking.pass();
        return true;
      },
    });
    await thinking.reached;
    clock.advance(1_001);
    await expect(run.finished).rejects.toMatchObject({ code: 'evaluation-deadline-exceeded' });
    thinking.open();
    await Promise.resolve();
    expect(only(run.invocations)).toMatchObject({ outcome: 'aborted', reason: 'deadline' });
    expect(only(run.invocations)).not.toHaveProperty('approvals');
    expect(approvalsOf(run.events).map(({ type }) => type)).toEqual(['approval-start']);
    expect(await run.filesystem.stat('notes.md')).toBeUndefined();
  },
);
