import { processWide } from '../../../core/internal/index.ts';
import type { DecidingRow } from '../../../core/resource/index.ts';
import type { JournalBatch } from '../../../core/runtime/index.ts';
import { leaseHasEnded, placeOf, RefusedRows } from '../../journal/index.ts';
import type { SqliteDatabase } from './database.ts';
import { inSavepoint, inTransaction, isTransactionOpen, rollBack, rolledBack } from './open-store.ts';

/** The part of one call in the transaction of a connection. */
export interface CallSavepoint {
  readonly name: string;
  readonly depth: number;
  /** How many writes of journals the transaction had when it began. */
  readonly writes: number;
}

/**
 * Shared by all copies of the package: a call of one and a journal of another would not be in one transaction. A change of what a
 * {@link SharedConnection} can be asked raises the version.
 */
function connections(): WeakMap<SqliteDatabase, SharedConnection> {
  return processWide('sqlite-connections.2', () => new WeakMap());
}

/** What is known of a connection in this process: the journal and the resource on one database share it. */
export function sharedConnection(database: SqliteDatabase): SharedConnection {
  let connection = connections().get(database);
  if (connection === undefined) {
    connection = new SharedConnection(database);
    connections().set(database, connection);
  }
  return connection;
}

/**
 * One connection that calls and journals take turns on. A call that writes has a transaction for itself, with a savepoint. What a journal
 * writes meanwhile is written into that transaction, and once more when the call is rolled back: such writes are durable when the call ends.
 *
 * A call that is committed with a row leaves the transaction open: the append of this row commits both, and no other one.
 */
export class SharedConnection {
  readonly #database: SqliteDatabase;
  /** `undecided`: the call has been committed, and its row is missing. */
  #phase: 'idle' | 'reading' | 'calling' | 'undecided' = 'idle';
  /** The row of an undecided call. */
  #row: DecidingRow | undefined;
  readonly #refused = new RefusedRows();
  readonly #waiting: (() => void)[] = [];
  #writes: (() => unknown)[] = [];
  #depth = 0;
  /** Why SQLite has ended the transaction of the calls by itself. */
  #failure: { readonly cause: unknown } | undefined;
  readonly #holders = new Set<string>();
  readonly #onLoss = new Set<(cause: unknown) => void>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Counts a lease that is held through this connection. */
  hold(owner: string): void {
    this.#holders.add(owner);
  }

  /** The lease has ended. The row of a call that waits for its owner cannot come any more: the changes of the call are rolled back. */
  letGo(owner: string): void {
    this.#holders.delete(owner);
    this.#refused.letGo(owner);
    if (this.#row?.owner === owner) this.#abandon();
  }

  /** @param listener called when writes which had been answered could not be made durable. Must not throw. */
  onLoss(listener: (cause: unknown) => void): () => void {
    this.#onLoss.add(listener);
    return () => void this.#onLoss.delete(listener);
  }

  /** Whether the transaction of a call is open, or was until SQLite has ended it. */
  get isInCall(): boolean {
    return this.#phase === 'calling' || this.#phase === 'undecided';
  }

  /** A write of a journal. `work` may run twice, and does the same then. */
  write<T>(work: () => T): T {
    if (!this.isInCall || this.#failure !== undefined) return inTransaction(this.#database, work);
    try {
      const result = inSavepoint(this.#database, work);
      this.#writes.push(work);
      return result;
    } catch (error) {
      this.noticeFailure(error);
      throw error;
    }
  }

  /**
   * Writes rows. Those that have the row of an undecided call commit it, too; when they are refused, or this fails, the call is rolled back.
   *
   * @throws {JournalFencedError} for a row whose call was rolled back so.
   */
  append<T>(batch: Pick<JournalBatch, 'runId' | 'rows'>, owner: string, work: () => T): T {
    this.#refused.assertNoneIn(batch, owner);
    const row = this.#row;
    return row !== undefined && placeOf(row, batch) >= 0 ? this.#decide(row, work) : this.write(work);
  }

  #decide<T>(row: DecidingRow, work: () => T): T {
    try {
      this.assertUnbroken();
      const result = inSavepoint(this.#database, work);
      this.#database.exec('commit');
      this.#end();
      return result;
    } catch (error) {
      if (this.#holders.has(row.owner)) this.#refused.add(row);
      this.#abandon();
      throw error;
    }
  }

  /**
   * Called after a statement failed within a call: finds out whether SQLite has ended the transaction, as it does with a full disk. Then what
   * journals had written is written in a transaction of its own.
   */
  noticeFailure(cause: unknown): void {
    if (this.#failure === undefined && !isTransactionOpen(this.#database)) this.#break(cause);
  }

  /** @throws {TransactionClosedError} when the transaction of the calls has ended: what they write now would stay. */
  assertUnbroken(): void {
    if (this.#failure !== undefined) throw rolledBack(this.#failure.cause);
  }

  /** Begins the transaction of a call that writes; waits until the one before has ended. */
  async beginCall(): Promise<CallSavepoint> {
    await this.#turn();
    try {
      this.#database.exec('begin immediate');
      this.#phase = 'calling';
      return this.savepoint();
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /** Begins the part of a call within the one that is open. */
  savepoint(): CallSavepoint {
    this.assertUnbroken();
    const savepoint = {
      name: `wink_call_${this.#depth}`,
      depth: this.#depth,
      writes: this.#writes.length,
    };
    this.#database.exec(`savepoint ${savepoint.name}`);
    this.#depth += 1;
    return savepoint;
  }

  /**
   * Keeps the changes since the savepoint.
   *
   * @param row decides about the call, where it is not one within a call. Default: the commit is final.
   * @throws {TransactionClosedError} when the lease of the row has ended; what the driver throws. Then `rollback` has to follow.
   */
  commit({ name, depth }: CallSavepoint, row?: DecidingRow): void {
    this.assertUnbroken();
    if (depth === 0 && row !== undefined && !this.#holders.has(row.owner)) throw leaseHasEnded();
    this.#database.exec(`release ${name}`);
    this.#depth = depth;
    if (depth > 0) return;
    if (row !== undefined) {
      this.#phase = 'undecided';
      this.#row = row;
      return;
    }
    this.#database.exec('commit');
    this.#end();
  }

  /** Drops the changes since the savepoint, and keeps what journals have written. */
  rollback({ name, depth, writes }: CallSavepoint): void {
    this.#depth = depth;
    if (this.#failure !== undefined) {
      if (depth === 0) this.#end();
      return;
    }
    try {
      this.#database.exec(`rollback to ${name}`);
      this.#database.exec(`release ${name}`);
      for (const work of this.#writes.slice(writes)) inSavepoint(this.#database, work);
      if (depth > 0) return;
      this.#database.exec('commit');
      this.#end();
    } catch (error) {
      // The transaction has ended already, or cannot be committed.
      if (depth === 0) this.#abandon();
      else this.#break(error);
    }
  }

  /** Takes the connection for a call that only reads; waits until the call before has ended. */
  async beginReading(): Promise<void> {
    await this.#turn();
    this.#phase = 'reading';
  }

  endReading(): void {
    this.#end();
  }

  /** The transaction is over, while calls still have parts in it: they fail. */
  #break(cause: unknown): void {
    this.#failure = { cause };
    rollBack(this.#database);
    this.#writeAgain();
  }

  /** Ends the transaction without the changes of its call. */
  #abandon(): void {
    if (this.#failure === undefined) {
      rollBack(this.#database);
      this.#writeAgain();
    }
    this.#end();
  }

  /** What journals had written in a transaction that is gone, in one of its own. */
  #writeAgain(): void {
    const writes = this.#writes;
    this.#writes = [];
    if (writes.length === 0) return;
    try {
      inTransaction(this.#database, () => {
        for (const work of writes) work();
      });
    } catch (error) {
      for (const listener of this.#onLoss) listener(error);
    }
  }

  async #turn(): Promise<void> {
    while (this.#phase !== 'idle') await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #end(): void {
    this.#phase = 'idle';
    this.#row = undefined;
    this.#failure = undefined;
    this.#depth = 0;
    this.#writes = [];
    this.#waiting.shift()?.();
  }
}
