import { describe, expect, it } from 'vitest';
import {
  PromptEvaluationError,
  promptTemplate,
  type RunJournal,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { sharedBudget } from 'weakincentives/durable';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { ledgerOf } from '../../../contract/journal-ledger.ts';
import { spendingIn as spendingOf } from '../../../contract/journal-spending.ts';
import { mortalJournal } from '../../../support/once-calls.ts';

const send = tool({
  name: 'send',
  description: 'Sends.',
  effects: 'external',
  idempotent: true,
  inputSchema: z.object({}),
  execute: () => ToolResult.ok(null, 'Sent.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'budget',
  sections: [section({ title: 'Task', key: 'task', template: 'Send.', tools: [send] })],
}).bind();

/** A model that takes 1,000 tokens a turn, and asks for a call in two of three. @param answered gets each answer. */
const model = (answered: { count: number } = { count: 0 }) =>
  scriptedAdapter((_conversation, { turn }) => {
    answered.count += 1;
    return {
      usage: { inputTokens: 900, outputTokens: 100 },
      ...(turn < 3 ? { toolCalls: [{ name: 'send', arguments: {} }] } : { text: 'end' }),
    };
  });

const budgetIn = (journal: RunJournal) =>
  sharedBudget({ journal, name: 'all', period: () => 'now', limits: { maxTotalTokens: 20_000 } });
const spendingIn = async (journal: RunJournal) => {
  const { spent, reserved } = await spendingOf(journal, { budget: 'all', period: 'now' });
  return { spent: spent.totalTokens, reserved: reserved.totalTokens };
};
const answersIn = async (journal: RunJournal): Promise<number> =>
  (await journal.read('a')).filter(({ type }) => type === 'response').length;

interface Killed {
  readonly journal: RunJournal;
  readonly name: string;
}

/** Every operation that a run is killed at, durable or not. */
async function everyKill(check: (killed: Killed) => Promise<void>): Promise<number> {
  let kills = 0;
  for (const isDone of [false, true]) {
    for (let at = 1; ; at += 1) {
      const journal = memoryJournal();
      const mortal = mortalJournal(journal, at, isDone);
      const limits = { budget: budgetIn(mortal) };
      const session = new Session({ id: 'one' });
      const options = { journal: mortal, runId: 'a', input: 'go', session, limits };
      await model()
        .evaluate(prompt, options)
        .catch(() => undefined);
      if (!mortal.isDead) break;
      kills += 1;
      await check({ journal, name: `operation ${at}, ${isDone ? 'durable' : 'lost'}` });
    }
  }
  return kills;
}

describe('a run that shares a budget, whose process is killed at any operation of the journal', () => {
  it('has counted exactly the answers that its rows have, and what it had reserved is free once its lease has ended', async () => {
    let reservations = 0;
    const kills = await everyKill(async ({ journal, name }) => {
      const answers = await answersIn(journal);
      const { spent } = await spendingIn(journal);
      expect(spent, name).toBe(answers * 1_000);
      const lease = await journal.acquire('other');
      const request = {
        kind: 'reserve' as const,
        budget: 'all',
        period: 'now',
        runId: 'other',
        limits: { totalTokens: 20_000 },
        largestTurn: {
          inputTokens: 0,
          outputTokens: 0,
          totalTokens: 20_000,
          costMillionths: 0,
          uncountedTurns: 0,
        },
      };
      const none = { ...request.largestTurn, totalTokens: 0 };
      const before = await ledgerOf(journal).reserve({ ...request, largestTurn: none }, lease);
      if (before.reservedByOthers.totalTokens > 0) reservations += 1;
      await journal.revoke('one');
      const after = await ledgerOf(journal).reserve(request, lease);
      expect(after.upTo.totalTokens, name).toBe(20_000 - spent);
    });
    expect(kills).toBeGreaterThan(10);
    expect(reservations).toBeGreaterThan(5);
  });

  it('counts each answer once when it continues, and gives its rest back', async () => {
    await everyKill(async ({ journal, name }) => {
      await journal.revoke('one');
      const known = await answersIn(journal);
      const answered = { count: 0 };
      const limits = { budget: budgetIn(journal) };
      const again = { adapter: model(answered), journal, runId: 'a', prompt, limits };
      const isEnded = (await journal.runs({ runId: 'a' })).some(({ status }) => status === 'finished');
      if (isEnded) return;
      if ((await journal.read('a')).length === 0)
        await model(answered).evaluate(prompt, { journal, runId: 'a', input: 'go', limits });
      else await resumeRun(again);
      expect(await spendingIn(journal), name).toEqual({
        spent: (known + answered.count) * 1_000,
        reserved: 0,
      });
      expect(await answersIn(journal), name).toBe(3);
    });
  });

  it('repeats its rows although nothing is left, and ends before it asks again', async () => {
    await everyKill(async ({ journal, name }) => {
      await journal.revoke('one');
      const known = await answersIn(journal);
      const isEnded = (await journal.runs({ runId: 'a' })).some(({ status }) => status === 'finished');
      if (isEnded || known === 0 || known === 3) return;
      const { spent: before } = await spendingOf(journal, { budget: 'all', period: 'now' });
      const spent = { ...before, totalTokens: 20_000 };
      await ledgerOf(journal).spend('others', { budget: 'all', period: 'now', spent, largestTurn: spent });
      const answered = { count: 0 };
      const limits = { budget: budgetIn(journal) };
      const again = resumeRun({ adapter: model(answered), journal, runId: 'a', prompt, limits });
      const error = await again.catch((thrown: unknown) => thrown);
      if (!PromptEvaluationError.isInstance(error)) throw new Error(`${name}: it was not refused.`);
      expect(error.code, name).toBe('evaluation-budget-exceeded');
      const answers = error.conversation.filter(({ type }) => type === 'assistant');
      expect(answers.length, name).toBe(known);
      expect(answered.count, name).toBe(0);
      expect(await answersIn(journal), name).toBe(known);
    });
  });
});
