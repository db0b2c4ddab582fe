import type { DecidingRow } from '../../../core/resource/index.ts';
import type { JournalBatch } from '../../../core/runtime/index.ts';
import { leaseHasEnded, placeOf, RefusedRows } from '../../journal/index.ts';
import type { HeldClient } from '../database/index.ts';

/** A call that was committed, whose changes wait in an open transaction for their row. */
interface DecidingCall {
  readonly row: DecidingRow;
  readonly client: HeldClient;
}

/** Rows that are appended in one transaction, with the call that waits for the last one that a call waits for. */
export interface DecidedPart {
  readonly batch: JournalBatch;
  readonly call: DecidingCall | undefined;
}

/**
 * The calls whose changes are decided by a row of the journal on the same database. The append of that row is executed in the transaction of the call, and commits both; when it is
 * refused, or the lease ends before, the call is rolled back.
 */
export class DecidingCalls {
  /** Owners that hold a lease through the journal, with the calls that wait for their rows. */
  readonly #holders = new Map<string, Set<DecidingCall>>();
  readonly #refused = new RefusedRows();

  hold(owner: string): void {
    this.#holders.set(owner, new Set());
  }

  /**
   * Leaves the transaction of a call to its row. The client is released when the row has decided.
   *
   * @throws {TransactionClosedError} when the lease of the row has ended. Then the caller rolls back and releases its client.
   */
  decideWith(row: DecidingRow, client: HeldClient): void {
    const calls = this.#holders.get(row.owner);
    if (calls === undefined) throw leaseHasEnded();
    calls.add({ row, client });
  }

  /** The lease has ended. Rows that calls of its owner wait for cannot come any more: what they changed is rolled back. */
  letGo(owner: string): void {
    const calls = this.#holders.get(owner) ?? [];
    this.#holders.delete(owner);
    this.#refused.letGo(owner);
    for (const { client } of calls) void rollBack(client);
  }

  /** Nothing decides any more: all that wait are rolled back. */
  letAllGo(): void {
    for (const owner of [...this.#holders.keys()]) this.letGo(owner);
  }

  /**
   * A batch in the transactions that it needs: one, unless several calls wait for its rows. Each call is in the last part with its row.
   *
   * @throws {JournalFencedError} for a row whose transaction has failed: what it had is rolled back, so the row would say what is not so.
   */
  partsOf(batch: JournalBatch, owner: string): readonly DecidedPart[] {
    this.#refused.assertNoneIn(batch, owner);
    const { rows } = batch;
    const waiting = [...(this.#holders.get(owner) ?? [])]
      .map((call) => ({ call, place: placeOf(call.row, batch) }))
      .filter(({ place }) => place >= 0)
      .sort((left, right) => left.place - right.place);
    if (waiting.length < 2) return [{ batch, call: waiting[0]?.call }];
    return waiting.map(({ call, place }, at) => {
      const from = at === 0 ? 0 : (waiting[at - 1]?.place ?? 0) + 1;
      const isLast = at === waiting.length - 1;
      const part = { ...batch, rows: rows.slice(from, isLast ? rows.length : place + 1) };
      // What the batch takes comes with its last row.
      return { batch: isLast ? part : { ...part, takes: [], once: [] }, call };
    });
  }

  /**
   * Appends in the transaction of a call, and commits it when that has written the row; otherwise it is rolled back, and the row is refused from then on.
   *
   * @throws what the driver throws. Then it is not known whether the transaction was committed.
   */
  async decide<T>(
    { row, client }: DecidingCall,
    append: (client: HeldClient) => Promise<T>,
    isWritten: (appended: T) => boolean,
  ): Promise<T> {
    this.#holders.get(row.owner)?.forEach((call, _, calls) => call.row === row && calls.delete(call));
    try {
      const appended = await append(client);
      await client.query(isWritten(appended) ? 'commit' : 'rollback');
      client.release();
      if (!isWritten(appended)) this.#fail(row);
      return appended;
    } catch (error) {
      client.release(error);
      this.#fail(row);
      throw error;
    }
  }

  #fail(row: DecidingRow): void {
    if (this.#holders.has(row.owner)) this.#refused.add(row);
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
