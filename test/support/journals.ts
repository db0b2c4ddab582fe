import type { JournalBatch, RunJournal } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { journalOperations } from '../../src/core/runtime/index.ts';

/** A journal that keeps each batch of rows that was appended. */
export interface WatchedJournal extends RunJournal {
  /** Where an answer of a model was appended with what came after it, two of them: a slower call leaves the answer alone in the journal. */
  readonly batches: readonly JournalBatch[];
}

export function watchedJournal(
  onAppend: (batch: JournalBatch) => void | Promise<void> = () => undefined,
  onAppended: () => void = () => undefined,
): WatchedJournal {
  const journal = memoryJournal();
  const batches: JournalBatch[] = [];
  return {
    ...journalOperations(journal),
    batches,
    append: async (batch, lease) => {
      await onAppend(batch);
      const inbox = await journal.append(batch, lease);
      batches.push(...apart(batch));
      onAppended();
      return inbox;
    },
  };
}

/** A batch as it is appended when the calls of its turns take long. */
function apart(batch: JournalBatch): readonly JournalBatch[] {
  const end = batch.rows.findIndex(({ type }) => type === 'response') + 1;
  if (end === 0 || end === batch.rows.length) return [batch];
  const after = { ...batch, rows: batch.rows.slice(end) };
  return [{ ...batch, rows: batch.rows.slice(0, end) }, ...apart(after)];
}

/** A journal that holds the first batches of a run: what a process left that was killed after them. */
export async function journalAfter(
  batches: readonly JournalBatch[],
  sessionId: string,
): Promise<WatchedJournal> {
  const journal = watchedJournal();
  const lease = await journal.acquire(sessionId);
  for (const batch of batches) await journal.append(batch, lease);
  await lease.release();
  return journal;
}
