import { expect, test } from 'vitest';
import {
  type ApprovalRequest,
  defineSlice,
  PolicyDecision,
  type Slice,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { runCalls } from '../../../../../support/run-calls.ts';

const Counter: Slice<{ value: number }> = defineSlice({
  name: 'counter',
  schema: z.object({ value: z.number() }),
});

/** Reads the counter, counts up and writes `text` of the new value: of two in one turn the second runs again. */
const counting = (text: (value: number) => string) =>
  tool({
    name: 'count',
    description: 'Counts up and writes the count.',
    effects: 'state',
    execute: async (_params, { session, filesystem }) => {
      const value = (session.slice(Counter).latest()?.value ?? 0) + 1;
      session.slice(Counter).seed([{ value }]);
      await filesystem.write('count.txt', text(value));
      return ToolResult.ok(value);
    },
  });

const calls = [{ name: 'count' }, { name: 'count' }];

test('a call that runs again does not ask the same question twice', async () => {
  const asked: string[] = [];
  const { invocations } = await runCalls({
    tools: [counting(() => 'the same')],
    calls,
    slices: [Counter],
    policies: [{ name: 'careful', check: () => PolicyDecision.ask('sure?') }],
    approve: ({ callId }) => {
      asked.push(callId);
      return true;
    },
  });
  expect(invocations.map(({ attempts, outcome }) => [attempts, outcome])).toEqual([
    [1, 'committed'],
    [2, 'committed'],
  ]);
  expect(asked).toEqual(['call-1-1', 'call-1-2']);
});

test('changes are approved once per call, and again when they have become others', async () => {
  const asked: (string | undefined)[] = [];
  const approve = ({ changes = [] }: ApprovalRequest): boolean => {
    asked.push(changes[0]?.after?.text());
    return true;
  };
  const setup = {
    calls,
    slices: [Counter],
    policies: [{ name: 'reviewed', checkChanges: () => PolicyDecision.ask('look') }],
    approve,
  };
  await runCalls({ ...setup, tools: [counting((value) => `count ${value}`)] });
  // The second call is asked about once, for the count it has when it heads the order.
  expect(asked).toEqual(['count 1', 'count 2']);
});

test('a no is not remembered as a yes', async () => {
  let asked = 0;
  const { invocations } = await runCalls({
    tools: [counting(() => 'the same')],
    calls,
    slices: [Counter],
    policies: [{ name: 'careful', check: () => PolicyDecision.ask('sure?') }],
    approve: () => {
      asked += 1;
      return false;
    },
  });
  expect(invocations.map(({ reason }) => reason)).toEqual(['not-approved', 'not-approved']);
  expect(asked).toBe(2);
});
