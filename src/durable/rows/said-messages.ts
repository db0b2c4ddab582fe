import type { RunJournal } from '../../core/runtime/index.ts';

/** Whether someone has said something to a run that its model has not read. */
export async function isSpokenTo(journal: Pick<RunJournal, 'messages'>, runId: string): Promise<boolean> {
  return (await journal.messages(runId)).some(({ kind }) => kind === 'say');
}
