import { JournalFencedError, TransactionClosedError } from '../../../core/error/index.ts';
import type { DecidingRow } from '../../../core/resource/index.ts';
import type { JournalBatch } from '../../../core/runtime/index.ts';
import type { HeldClient } from '../database/index.ts';

/** A call that was committed, whose changes wait in an open transaction for their row. */
interface DecidingCall {
  readonly row: DecidingRow;
  readonly client: HeldClient;
}

/**
 * The calls whose changes are decided by a row of the journal on the same database. The append of that row is executed in the transaction of the call, and commits both; when it is
 * refused, or the lease ends before, the call is rolled back.
 *
 * One owner commits one call at a time, so it has one row at most that is awaited.
 */
export class DecidingCalls {
  /** Owners that hold a lease through the journal. */
  readonly #holders = new Set<string>();
  readonly #calls = new Map<string, DecidingCall>();
  /** Rows whose transaction has failed: they are not appended without what it had. By owner. */
  readonly #failed = new Map<string, DecidingRow>();

  hold(owner: string): void {
    this.#holders.add(owner);
  }

  /**
   * Leaves the transaction of a call to its row. The client is released when the row has decided.
   *
   * @throws {TransactionClosedError} when the lease of the row has ended. Then the caller rolls back and releases its client.
   */
  decideWith(row: DecidingRow, client: HeldClient): void {
    if (!this.#holders.has(row.owner)) throw leaseHasEnded();
    this.#calls.set(row.owner, { row, client });
  }

  /** The lease has ended. The row of a call that waits for its owner cannot come any more: the changes of the call are rolled back. */
  letGo(owner: string): void {
    this.#holders.delete(owner);
    this.#failed.delete(owner);
    const call = this.#calls.get(owner);
    this.#calls.delete(owner);
    if (call !== undefined) void rollBack(call.client);
  }

  /** Nothing decides any more: all that wait are rolled back. */
  letAllGo(): void {
    for (const owner of [...this.#holders]) this.letGo(owner);
  }

  /**
   * The call that waits for a row of a batch; undefined: there is none.
   *
   * @throws {JournalFencedError} for a row whose transaction has failed: what it had is rolled back, so the row would say what is not so.
   */
  take({ runId, rows }: JournalBatch, owner: string): Decision | undefined {
    const isIn = (row: DecidingRow): boolean =>
      row.runId === runId && rows.some(({ seq }) => seq === row.seq);
    const failed = this.#failed.get(owner);
    if (failed !== undefined && isIn(failed)) throw undecided(failed);
    const call = this.#calls.get(owner);
    if (call === undefined || !isIn(call.row)) return undefined;
    this.#calls.delete(owner);
    // Until it is committed.
    this.#failed.set(owner, call.row);
    return async (append, isWritten) => {
      const written = await decide(call.client, append, isWritten);
      if (isWritten(written)) this.#failed.delete(owner);
      return written;
    };
  }
}

/** Appends in the transaction of a call, and commits it when that was written; otherwise it is rolled back. */
type Decision = <T>(
  append: (client: HeldClient) => Promise<T>,
  isWritten: (appended: T) => boolean,
) => Promise<T>;

async function decide<T>(
  client: HeldClient,
  append: (client: HeldClient) => Promise<T>,
  isWritten: (appended: T) => boolean,
): Promise<T> {
  try {
    const appended = await append(client);
    await client.query(isWritten(appended) ? 'commit' : 'rollback');
    client.release();
    return appended;
  } catch (error) {
    client.release(error);
    throw error;
  }
}

async function rollBack(client: HeldClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error);
  }
}

function leaseHasEnded(): TransactionClosedError {
  return new TransactionClosedError(
    'The run has lost its lease, so no row can decide about this tool call any more. What it wrote to the database is rolled back.',
  );
}

function undecided({ runId, seq }: DecidingRow): JournalFencedError {
  return new JournalFencedError(
    `The transaction of row ${seq} of the run "${runId}" has failed together with what a tool call wrote in it, so the row is not written without. Resume the run to go on.`,
    { details: { runId } },
  );
}
