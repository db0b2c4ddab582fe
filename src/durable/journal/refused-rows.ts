import { JournalFencedError, TransactionClosedError } from '../../core/error/index.ts';
import type { DecidingRow } from '../../core/resource/index.ts';
import type { JournalBatch } from '../../core/runtime/index.ts';

/** Rows whose transaction has failed together with the changes of their calls: they are not appended without these. */
export class RefusedRows {
  /** By owner. */
  readonly #rows = new Map<string, DecidingRow[]>();

  /** A transaction has failed that had the row and the changes of its call. */
  add(row: DecidingRow): void {
    this.#rows.set(row.owner, [...(this.#rows.get(row.owner) ?? []), row]);
  }

  /** The lease of the owner has ended: nothing can be appended under it any more. */
  letGo(owner: string): void {
    this.#rows.delete(owner);
  }

  /** @throws {JournalFencedError} for a batch with one of the rows: it would say what is not so. */
  assertNoneIn(batch: Pick<JournalBatch, 'runId' | 'rows'>, owner: string): void {
    const refused = this.#rows.get(owner)?.find((row) => placeOf(row, batch) >= 0);
    if (refused === undefined) return;
    const { runId, seq } = refused;
    throw new JournalFencedError(
      `The transaction of row ${seq} of the run "${runId}" has failed together with what a tool call wrote in it, so the row is not written without. Resume the run to continue.`,
      { details: { runId } },
    );
  }
}

/** Where the row of a call is in a batch; negative: it is not there. */
export function placeOf(row: DecidingRow, { runId, rows }: Pick<JournalBatch, 'runId' | 'rows'>): number {
  return row.runId === runId ? rows.findIndex(({ seq }) => seq === row.seq) : -1;
}

/** What the commit of a call throws when the lease has ended under which its row would be appended. */
export function leaseHasEnded(): TransactionClosedError {
  return new TransactionClosedError(
    'The run has lost its lease, so no row can decide about this tool call any more. What it wrote to the database is rolled back.',
  );
}
