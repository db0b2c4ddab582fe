import { describe, expect, it } from 'vitest';
import {
  type BudgetTracker,
  PromptEvaluationError,
  PromptValidationError,
  promptTemplate,
  type RunJournal,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { sharedBudget } from 'weakincentives/durable';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import { ledgerOf } from '../../../contract/journal-ledger.ts';
import { spendingIn } from '../../../contract/journal-spending.ts';
import { gate } from '../../../support/gate.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: async () => ToolResult.ok(null, 'Nothing.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'budget',
  sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
}).bind();

const thousand = { inputTokens: 900, outputTokens: 100 };
/** A model that calls a tool in each turn but the last. */
const model = (turns: number, usage = thousand) =>
  scriptedAdapter((_conversation, { turn }) => ({
    usage,
    ...(turn < turns ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'end' }),
  }));

const day = '2026-01-01';
const clockAt = (text: string) => ({ now: () => Date.parse(text), schedule: () => () => undefined });
const clock = clockAt(`${day}T12:00:00Z`);
const budgetOf = (journal: RunJournal, maxTotalTokens = 50_000) =>
  sharedBudget({ journal, name: 'tenant-1', period: 'day', limits: { maxTotalTokens } });
const spendingOf = (journal: RunJournal, period = day) => spendingIn(journal, { budget: 'tenant-1', period });

describe('a budget over several runs', () => {
  it('is not passed by twenty runs at once, and is used up but for what each keeps for a turn', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal);
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        model(10).evaluate(prompt, { journal, runId: `r${index}`, input: 'go', clock, limits: { budget } }),
      ),
    );
    const { spent, reserved } = await spendingOf(journal);
    expect(spent.totalTokens).toBeLessThanOrEqual(50_000);
    expect(spent.totalTokens).toBeGreaterThan(40_000);
    expect(reserved.totalTokens).toBe(0);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused.length).toBeGreaterThan(10);
    for (const error of refused) {
      expect(PromptEvaluationError.isInstance(error) && error.code).toBe('evaluation-budget-exceeded');
    }
  });

  it('has what one run after the other leaves', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal, 5_000);
    await model(3).evaluate(prompt, { journal, input: 'go', clock, limits: { budget } });
    expect((await spendingOf(journal)).spent).toEqual({
      inputTokens: 2_700,
      outputTokens: 300,
      totalTokens: 3_000,
      costMillionths: 0,
      uncountedTurns: 0,
    });
    const second = model(3).evaluate(prompt, { journal, input: 'go', clock, limits: { budget } });
    await expect(second).rejects.toThrow(
      'The budget "tenant-1" of 2026-01-01 does not allow another turn of the model, which may take 1250: input and output tokens reached 4000, 0 more are reserved for other runs, and maxTotalTokens is 5000.',
    );
    expect((await spendingOf(journal)).spent.totalTokens).toBe(4_000);
  });

  it('begins anew with each period, which is a day or a month in UTC or has a name', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal, 2_000);
    const late = { journal, input: 'go', limits: { budget } };
    await model(1).evaluate(prompt, { ...late, clock: clockAt('2026-01-31T23:59:59.999Z') });
    await model(1).evaluate(prompt, { ...late, clock: clockAt('2026-02-01T00:00:00Z') });
    expect((await spendingOf(journal, '2026-01-31')).spent.totalTokens).toBe(1_000);
    expect((await spendingOf(journal, '2026-02-01')).spent.totalTokens).toBe(1_000);
    const limits = { maxTotalTokens: 2_000 };
    const month = sharedBudget({ journal, name: 'tenant-1', period: 'month', limits });
    await model(1).evaluate(prompt, { journal, input: 'go', clock, limits: { budget: month } });
    expect((await spendingOf(journal, '2026-01')).spent.totalTokens).toBe(1_000);
    const year = sharedBudget({ journal, name: 'tenant-1', period: (atMs) => `y${atMs > 0}`, limits });
    await model(1).evaluate(prompt, { journal, input: 'go', clock, limits: { budget: year } });
    expect((await spendingOf(journal, 'ytrue')).spent.totalTokens).toBe(1_000);
  });

  it('counts each turn in the period in which it was asked for', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal);
    let turns = 0;
    const moving = {
      now: () => Date.parse(turns < 2 ? '2026-01-01T23:59:00Z' : '2026-01-02T00:01:00Z'),
      schedule: () => () => undefined,
    };
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      turns = turn;
      return {
        usage: thousand,
        ...(turn < 5 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'end' }),
      };
    });
    await adapter.evaluate(prompt, { journal, input: 'go', clock: moving, limits: { budget } });
    expect((await spendingOf(journal, '2026-01-01')).spent.totalTokens).toBe(2_000);
    expect((await spendingOf(journal, '2026-01-02')).spent.totalTokens).toBe(3_000);
  });

  it('limits costs and turns without tokens, too', async () => {
    const journal = memoryJournal();
    const prices = { inputPerMillion: 1_000, outputPerMillion: 1_000 };
    const limits = { maxCost: 2.5, prices };
    const budget = sharedBudget({ journal, name: 'tenant-1', period: 'day', limits });
    const run = model(9).evaluate(prompt, { journal, input: 'go', clock, limits: { budget } });
    await expect(run).rejects.toThrow('the cost reached 2,');
    expect((await spendingOf(journal)).spent.costMillionths).toBe(2_000_000);
    const counted = sharedBudget({
      journal,
      name: 'tenant-1',
      period: () => 'x',
      limits: { maxUncountedTurns: 0 },
    });
    const uncounted = scriptedAdapter((_c, { turn }) =>
      turn < 3 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'end' },
    );
    const refused = uncounted.evaluate(prompt, { journal, input: 'go', clock, limits: { budget: counted } });
    await expect(refused).rejects.toThrow('is used up: turns without reported tokens reached 1');
  });

  it('is counted once where an evaluation inside a call has it, too', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal);
    const inner = promptTemplate({
      ns: 'test',
      key: 'inner',
      sections: [section({ title: 'T', key: 't', template: 'x' })],
    }).bind();
    const seen: unknown[] = [];
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: async (_params, { adapter, budgetTracker }) => {
        await adapter.evaluate(inner, { input: 'go', limits: { budget } });
        seen.push((budgetTracker as BudgetTracker).remaining().totalTokens);
        return ToolResult.ok(null, 'Asked.');
      },
    });
    const outer = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'T', key: 't', template: 'x', tools: [ask] })],
    }).bind();
    const adapter = scriptedAdapter((conversation) => ({
      usage: thousand,
      ...(conversation.length === 1 && conversation[0]?.type === 'user' && adapterTurns++ === 0
        ? { toolCalls: [{ name: 'ask', arguments: {} }] }
        : { text: 'end' }),
    }));
    let adapterTurns = 0;
    await adapter.evaluate(outer, { journal, input: 'go', clock, limits: { budget } });
    expect((await spendingOf(journal)).spent.totalTokens).toBe(3_000);
    expect(seen).toEqual([48_000]);
  });

  it('is one budget for all of its name, within a run, too', async () => {
    const journal = memoryJournal();
    const limits = { maxTotalTokens: 50_000 };
    const fresh = () => sharedBudget({ name: 'tenant-1', period: () => day, limits });
    const inner = promptTemplate({
      ns: 'test',
      key: 'inner',
      sections: [section({ title: 'T', key: 't', template: 'x' })],
    }).bind();
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: async (_params, { adapter }) => {
        await Promise.all(
          [1, 2].map(() => adapter.evaluate(inner, { input: 'in', limits: { budget: fresh() } })),
        );
        return ToolResult.ok(null, 'Asked.');
      },
    });
    const outer = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'T', key: 't', template: 'x', tools: [ask] })],
    }).bind();
    const adapter = scriptedAdapter((conversation) => ({
      usage: thousand,
      ...(JSON.stringify(conversation).includes('"go"') && conversation.length === 1
        ? { toolCalls: [{ name: 'ask', arguments: {} }] }
        : { text: 'end' }),
    }));
    await adapter.evaluate(outer, { journal, input: 'go', clock, limits: { budget: fresh() } });
    expect((await spendingOf(journal)).spent.totalTokens).toBe(4_000);
  });

  it('frees what a run that was killed has reserved once its lease has ended', async () => {
    const journal = memoryJournal();
    const ledger = ledgerOf(journal);
    const amounts = { inputTokens: 0, outputTokens: 0, totalTokens: 0, costMillionths: 0, uncountedTurns: 0 };
    const request = {
      kind: 'reserve' as const,
      budget: 'tenant-1',
      period: day,
      limits: { totalTokens: 5_000 },
      largestTurn: { ...amounts, totalTokens: 1_000 },
    };
    const killed = await journal.acquire('killed');
    expect((await ledger.reserve({ ...request, runId: 'killed' }, killed)).upTo.totalTokens).toBe(5_000);
    const budget = budgetOf(journal, 5_000);
    const run = () => model(1).evaluate(prompt, { journal, input: 'go', clock, limits: { budget } });
    await expect(run()).rejects.toThrow('5000 more are reserved for other runs');
    await journal.revoke('killed');
    await run();
    const { spent, reserved } = await spendingOf(journal);
    expect([spent.totalTokens, reserved.totalTokens]).toEqual([1_000, 0]);
  });

  it('counts an answer that comes after the end of its run', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal);
    const abort = new AbortController();
    const answered = gate();
    const adapter = scriptedAdapter(async () => {
      await answered.pass();
      return { usage: thousand, text: 'late' };
    });
    const run = adapter.evaluate(prompt, {
      journal,
      input: 'go',
      clock,
      signal: abort.signal,
      limits: { budget },
    });
    await answered.reached;
    abort.abort();
    await expect(run).rejects.toThrow();
    expect((await spendingOf(journal)).spent.totalTokens).toBe(0);
    answered.open();
    await expect.poll(async () => (await spendingOf(journal)).spent.totalTokens).toBe(1_000);
  });

  it('is refused without a journal, with another one, and with one that has no ledger', async () => {
    const journal = memoryJournal();
    const budget = budgetOf(journal);
    await expect(model(1).evaluate(prompt, { input: 'go', limits: { budget } })).rejects.toThrow(
      'The budget "tenant-1" is shared by runs, which needs a journal',
    );
    const other = model(1).evaluate(prompt, {
      journal: memoryJournal(),
      runId: 'r',
      input: 'go',
      limits: { budget },
    });
    await expect(other).rejects.toThrow('The budget "tenant-1" is in another journal than the run "r".');
    const { ledger: _ledger, ...without } = journalOperations(journal);
    expect(() => budgetOf(without)).toThrow('the journal has no ledger');
    expect(() => budgetOf(without)).toThrow(PromptValidationError);
    const anywhere = sharedBudget({ name: 'n', period: 'day', limits: { maxTotalTokens: 1_000 } });
    const bare = model(1).evaluate(prompt, {
      journal: without,
      runId: 'r',
      input: 'go',
      limits: { budget: anywhere },
    });
    await expect(bare).rejects.toThrow(
      'The journal of the run "r" has no ledger, which would keep the budget "n".',
    );
  });

  it('refuses options that it does not know, and limits that limit nothing', () => {
    const journal = memoryJournal();
    const right = { journal, name: 'n', period: 'day' as const, limits: { maxTotalTokens: 1 } };
    const withMore = { ...right, perDay: 1 };
    expect(() => sharedBudget(withMore)).toThrow('perDay');
    expect(() => sharedBudget({ ...right, name: '' })).toThrow('name');
    expect(() => sharedBudget({ ...right, period: 'week' as 'day' })).toThrow('"day", "month" or a function');
    expect(() => sharedBudget({ ...right, limits: {} })).toThrow(
      'A budget without a limit would limit nothing',
    );
  });
});
