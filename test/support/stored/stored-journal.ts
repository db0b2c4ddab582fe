import type { JournalBatch, RunJournal, RunLease } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { journalOperations } from '../../../src/core/runtime/index.ts';

/** A batch of rows with the session whose lease it was appended with: what is on a line of `batches.jsonl`. */
export interface StoredBatch extends JournalBatch {
  readonly sessionId: string;
}

/** A journal in memory that keeps what was appended to it. */
export interface KeepingJournal extends RunJournal {
  readonly batches: StoredBatch[];
}

export function keepingJournal(journal: RunJournal = memoryJournal()): KeepingJournal {
  const batches: StoredBatch[] = [];
  return {
    ...journalOperations(journal),
    batches,
    append: async (batch, lease) => {
      const inbox = await journal.append(batch, lease);
      batches.push({ sessionId: lease.sessionId, ...batch });
      return inbox;
    },
  };
}

/** Appends batches as the processes did that wrote them. */
export async function appendBatches(journal: RunJournal, batches: readonly StoredBatch[]): Promise<void> {
  const leases = new Map<string, RunLease>();
  for (const { sessionId, ...batch } of batches) {
    const lease = leases.get(sessionId) ?? (await journal.acquire(sessionId));
    leases.set(sessionId, lease);
    await journal.append(batch, lease);
  }
  for (const lease of leases.values()) await lease.release();
}

/** A journal in memory that holds these batches. */
export async function journalOf(batches: readonly StoredBatch[]): Promise<KeepingJournal> {
  const journal = memoryJournal();
  await appendBatches(journal, batches);
  return keepingJournal(journal);
}
