import { describe, expect, test } from 'vitest';
import { PolicyDecision, type ToolPolicy, ToolResult, tool } from 'weakincentives';
import { type Level, read, runNested, write, writing } from '../../../../support/nested-policies.ts';
import { Added, Count } from '../../../../support/nested-setup.ts';

/** Asks about changes, in words that name them, or that do not. */
const careful = (reason?: string): ToolPolicy => ({
  name: 'careful',
  checkChanges: (_call, changes) =>
    PolicyDecision.ask(reason ?? `Change ${changes.map(({ path }) => path).join(', ')}?`),
});
const asked = (log: string[], answer = true) => ({
  approve: ({ toolName, reason }: { readonly toolName: string; readonly reason: string }) => {
    log.push(`${toolName}: ${reason}`);
    return answer;
  },
});

describe.each([1, 2, 3])('what was approved %i calls further in', (depth) => {
  const under = (policy: ToolPolicy, turns: NonNullable<Level['turns']>): readonly Level[] => [
    { policies: [policy] },
    ...Array<Level>(depth - 1).fill({}),
    { tools: [write, read], turns },
  ];

  test('is not asked again about the calls around', async () => {
    const log: string[] = [];
    const { outcomes, records } = await runNested(under(careful(), [[writing('a')]]), asked(log));
    expect(log).toEqual(['write_file: Change a?']);
    expect(outcomes.every((line) => line.endsWith('committed'))).toBe(true);
    expect(records.slice(1).some((record) => 'approvals' in record)).toBe(false);
  });

  test('covers several changes that were approved for the same reason', async () => {
    const log: string[] = [];
    const turns = [[writing('a'), writing('b')], [writing('a', 'newer')]];
    const { outcomes } = await runNested(under(careful('Changes files.'), turns), asked(log));
    expect(log).toHaveLength(3);
    expect(outcomes.every((line) => line.endsWith('committed'))).toBe(true);
  });

  test('does not cover another question', async () => {
    const log: string[] = [];
    const { outcomes } = await runNested(under(careful(), [[writing('a'), writing('b')]]), asked(log));
    // Approved above the innermost call that it concerns, it is not asked again further out.
    expect(log).toEqual([
      'write_file: Change a?',
      'write_file: Change b?',
      `delegate_${depth - 1}: Change a, b?`,
    ]);
    expect(outcomes.at(-1)).toBe('0 delegate_0 committed');
  });

  test('does not cover what was refused', async () => {
    const log: string[] = [];
    const { outcomes } = await runNested(under(careful(), [[writing('a')]]), asked(log, false));
    expect(log).toEqual(['write_file: Change a?']);
    expect(outcomes[0]).toBe(`${depth} write_file denied`);
  });
});

test('an approval inside does not cover what the handler makes of it', async () => {
  const log: string[] = [];
  const inner: Level = { tools: [write], turns: [[writing('a')]] };
  const { records, files } = await runNested(
    [{ policies: [careful('Changes files.')], overwrites: { a: 'another' } }, inner],
    asked(log),
  );
  expect(log).toEqual(['write_file: Changes files.', 'delegate_0: Changes files.']);
  expect(records.at(-1)?.approvals).toHaveLength(1);
  expect((await files.read('a')).text).toBe('another');
});

test('a question of check is asked for each call, whatever was approved for another one', async () => {
  const log: string[] = [];
  const paying: ToolPolicy = {
    name: 'paying',
    check: ({ tool: { name } }) => (name === 'pay' ? PolicyDecision.ask('Pay?') : PolicyDecision.allow()),
  };
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    effects: 'state',
    execute: () => ToolResult.ok(null),
  });
  await runNested(
    [
      { policies: [paying] },
      { tools: [pay], turns: [[{ name: 'pay' }, { name: 'pay' }], [{ name: 'pay' }]] },
    ],
    asked(log),
  );
  expect(log).toEqual(['pay: Pay?', 'pay: Pay?', 'pay: Pay?']);
});

describe('when the call around runs again', () => {
  const paying: ToolPolicy = {
    name: 'paying',
    check: ({ tool: { name } }) => (name === 'pay' ? PolicyDecision.ask('Pay?') : PolicyDecision.allow()),
  };
  const counting = (name: string) =>
    tool({
      name,
      description: 'Counts.',
      effects: 'state',
      execute: (_params, { session }) => {
        const total = session.slice(Count).latest()?.total ?? 0;
        session.dispatch(Added, { by: 1 });
        return ToolResult.ok(null, `Counted ${total}.`);
      },
    });

  test.each([1, 2])(
    'what was approved %i calls further in is approved once more, and no more',
    async (depth) => {
      const log: string[] = [];
      // In the second attempt the inner model asks for one payment more.
      let evaluations = 0;
      const turns = () => {
        evaluations += 1;
        return [Array.from({ length: evaluations }, () => ({ name: 'pay' }))];
      };
      const { records } = await runNested(
        [
          {
            policies: [paying],
            tools: [counting('count')],
            slices: [Count],
            // The first call of the turn changes what the calls inside the second have read.
            turns: [[{ name: 'count' }, { name: 'delegate_0' }]],
          },
          ...Array<Level>(depth - 1).fill({}),
          { tools: [counting('pay')], slices: [Count], turnsOf: turns },
        ],
        asked(log),
      );
      const outer = records.find(({ toolName }) => toolName === 'delegate_0');
      expect(outer).toMatchObject({ outcome: 'committed', attempts: 2 });
      expect(log).toEqual(['pay: Pay?', 'pay: Pay?']);
      const payments = records.filter(({ toolName }) => toolName === 'pay');
      expect(payments).toHaveLength(2);
      for (const payment of payments) {
        expect(payment).toMatchObject({
          outcome: 'committed',
          approvals: [{ policy: 'paying', reason: 'Pay?', about: 'call', approved: true }],
        });
      }
    },
  );
});
