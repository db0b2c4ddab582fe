import type { JournaledRun, RunJournal } from './run-journal.ts';

/** A run of the journal by its name; undefined for an unknown one. */
export async function findRun(
  journal: Pick<RunJournal, 'runs'>,
  runId: string,
): Promise<JournaledRun | undefined> {
  // A journal that does not know the filter returns others, too.
  return (await journal.runs({ runId })).find((run) => run.runId === runId);
}
