import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  answerApprovals,
  BudgetTracker,
  type JournalBatch,
  PromptEvaluationError,
  pendingApprovals,
  resumeRun,
  suspendApproval,
} from 'weakincentives';
import { draws } from '../support/draws.ts';
import { journalAfter, type WatchedJournal, watchedJournal } from '../support/journals.ts';
import { type AgentTree, agentTrees, treeModel, treePrompt } from '../support/random-agents.ts';

/** How a run ended for now, and what it and its budget say that it took. */
interface End {
  readonly how: string;
  readonly usage: number | undefined;
  readonly counted: number | undefined;
  readonly rows: number;
}

const answersIn = (batches: readonly JournalBatch[]): number =>
  batches
    .flatMap(({ rows }) => rows)
    .filter(({ type, line }) => type === 'response' && !line.includes('"error":')).length;

/** Begins or continues a run, once. */
async function lead(tree: AgentTree, journal: WatchedJournal, maxInputTokens: number): Promise<End> {
  const budget = new BudgetTracker({ maxInputTokens });
  const options = {
    journal,
    runId: 'run',
    approve: suspendApproval(),
    limits: { budget, maxRepeatedFailures: 1_000 },
  };
  const prompt = treePrompt(tree);
  const isNew = journal.batches.length === 0;
  const end = await (isNew
    ? treeModel(tree).evaluate(prompt, options)
    : resumeRun({ adapter: treeModel(tree), prompt, ...options })
  ).catch((error: unknown) => {
    if (!PromptEvaluationError.isInstance(error)) throw error;
    return { finishReason: error.code, usage: error.usage };
  });
  const counted = budget.usage.inputTokens;
  const rows = answersIn(journal.batches);
  return { how: end.finishReason, usage: end.usage.inputTokens, counted, rows };
}

/** Leads a run to its end, and answers its questions. */
async function finish(
  tree: AgentTree,
  journal: WatchedJournal,
  maxInputTokens: number,
): Promise<readonly End[]> {
  const ends = [await lead(tree, journal, maxInputTokens)];
  while (ends.at(-1)?.how === 'suspended') {
    const questions = await pendingApprovals({ journal, runId: 'run' });
    const answers = questions.map(({ id, digest }, index) => ({ id, digest, approved: index % 3 < 2 }));
    await answerApprovals({ journal, runId: 'run', answers });
    ends.push(await lead(tree, journal, maxInputTokens));
  }
  return ends;
}

function expectExact(ends: readonly End[], when: string): void {
  for (const { how, usage, counted, rows } of ends)
    expect({ how, usage, counted, when }).toEqual({ how, usage: rows, counted: rows, when });
}

const sessionOf = ([first]: readonly JournalBatch[]): string =>
  (JSON.parse(first?.rows[0]?.line ?? '{}') as { sessionId: string }).sessionId;

test('usage and budget of a run that is killed after any flush are what its answers took', async () => {
  await fc.assert(
    fc.asyncProperty(
      agentTrees,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(6),
      async (tree, part, left) => {
        const journal = watchedJournal();
        expectExact(await finish(tree, journal, 1_000), 'not killed');
        const { batches } = journal;
        // Every flush of a short run, and some of a long one.
        const step = Math.ceil(batches.length / 6);
        for (let count = 1 + Math.floor(step * part); count < batches.length; count += step) {
          const again = await journalAfter(batches.slice(0, count), sessionOf(batches));
          expectExact(await finish(tree, again, 1_000), `after ${count} of ${batches.length}`);
          // Killed once more, with a budget that may not do.
          const more = count + Math.round((again.batches.length - count) * part);
          const twice = await journalAfter(again.batches.slice(0, more), sessionOf(batches));
          const limit = answersIn(twice.batches) + 1 + left;
          const ends = await finish(tree, twice, limit);
          const when = `after ${count} of ${batches.length}, then ${more} of ${again.batches.length}`;
          expectExact(ends, when);
          // No turn begins that the budget does not hold.
          const { how, rows } = ends.at(-1) ?? { how: 'none', rows: 0 };
          if (how === 'stop') expect(rows, when).toBeLessThanOrEqual(limit);
          else expect(how, when).toBe('evaluation-budget-exceeded');
        }
      },
    ),
    { numRuns: draws(15) },
  );
});
