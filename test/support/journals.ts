import type { JournalBatch, RunJournal } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { journalOperations } from '../../src/core/runtime/index.ts';

/** A journal that keeps each batch of rows that was appended. */
export interface WatchedJournal extends RunJournal {
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
      batches.push(batch);
      onAppended();
      return inbox;
    },
  };
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
