import { TransactionClosedError } from '../../../core/error/index.ts';
import type {
  ParallelProtocol,
  ParallelResourceTransaction,
  TransactionBeginOptions,
} from '../../../core/resource/index.ts';
import type { SqliteDatabase } from '../store/database.ts';
import { isBusy, isTransactionOpen, rollBack, rolledBack } from '../store/open-store.ts';
import { type Around, callView, readingOnly } from './call-view.ts';

const busyTimeoutMs = 5_000;

/**
 * Lets calls use connections of their own at the same time: each reads the database as it was when it began. Only one of them can write at a time; a
 * call that wants to write takes the right to from the others, which run again.
 */
export function parallelProtocol(
  database: SqliteDatabase,
  open: () => SqliteDatabase,
): ParallelProtocol<SqliteDatabase> {
  const calls = new ParallelCalls(database, open);
  return Object.freeze({
    parallel: true,
    mayFail: true,
    begin: (resource: SqliteDatabase, options: TransactionBeginOptions) => calls.begin(resource, options),
  });
}

interface OpenCall {
  readonly connection: SqliteDatabase;
  readonly readOnly: boolean;
  /** Of the database, when it began. */
  readonly version: number;
  /** Why its transaction is not open any more, before it is settled. */
  ending: TransactionClosedError | undefined;
  /** It was rolled back for another call. */
  isSuperseded: boolean;
}

/** The calls that are open, with a connection for each. */
class ParallelCalls {
  readonly #open: () => SqliteDatabase;
  readonly #version: () => number;
  readonly #idle: SqliteDatabase[] = [];
  readonly #calls = new Set<OpenCall>();
  /** Whose view it is, and whether writes are refused through it. */
  readonly #views = new WeakMap<SqliteDatabase, { readonly call: OpenCall; readonly readOnly: boolean }>();

  constructor(database: SqliteDatabase, open: () => SqliteDatabase) {
    this.#open = open;
    // It changes with each commit of any other connection, in this process or another.
    const statement = database.prepare('pragma data_version');
    // The pragma returns one row with one column.
    this.#version = () => Number((statement.get() as { data_version: number | bigint }).data_version);
  }

  begin(
    resource: SqliteDatabase,
    { readOnly }: TransactionBeginOptions,
  ): ParallelResourceTransaction<SqliteDatabase> {
    const outer = this.#views.get(resource);
    if (outer === undefined) return this.#begin(readOnly);
    return this.#beginWithin(outer.call, readOnly || outer.readOnly);
  }

  #begin(readOnly: boolean): ParallelResourceTransaction<SqliteDatabase> {
    const version = this.#version();
    const connection = this.#idle.pop() ?? this.#connect();
    const call: OpenCall = { connection, readOnly, version, ending: undefined, isSuperseded: false };
    this.#calls.add(call);
    try {
      if (readOnly) connection.exec('pragma query_only = 1');
      connection.exec('begin');
      // A transaction sees the database as it is at its first read.
      connection.prepare('select 1 from sqlite_master').get();
    } catch (error) {
      this.#end(call);
      throw error;
    }
    const view = callView(connection, this.#around(call));
    this.#views.set(view.view, { call, readOnly });
    return {
      ...view,
      conflicts: () => (call.isSuperseded || this.#version() !== version ? ['its data'] : []),
      commit: () => {
        if (call.ending !== undefined) throw call.ending;
        connection.exec('commit');
        this.#end(call);
      },
      rollback: () => this.#end(call),
    };
  }

  /** Calls of an evaluation within a call share its connection, where the changes of two could not be separated: so they only read. */
  #beginWithin(outer: OpenCall, readOnly: boolean): ParallelResourceTransaction<SqliteDatabase> {
    if (!readOnly) {
      throw new Error(
        'calls within another call can only read a database with a connection for each call; bind it without the option open',
      );
    }
    const around = this.#around(outer);
    const reading = readingOnly(outer.connection);
    const view = callView(outer.connection, outer.readOnly ? around : (work) => around(() => reading(work)));
    this.#views.set(view.view, { call: outer, readOnly });
    return { ...view, conflicts: () => [], commit: () => undefined, rollback: () => undefined };
  }

  #around(call: OpenCall): Around {
    const { connection, readOnly } = call;
    return (work) => {
      if (call.ending !== undefined) throw call.ending;
      try {
        return work();
      } catch (error) {
        if (readOnly) throw error;
        if (isBusy(error)) return this.#retry(call, work);
        // Without its transaction, what the call writes from here on would stay.
        if (!isTransactionOpen(connection)) call.ending = rolledBack(error);
        throw error;
      }
    };
  }

  /** Does what needs the right to write, which another call has: one of this process is superseded, one of another process is waited for. */
  #retry<T>(call: OpenCall, work: () => T): T {
    const { connection } = call;
    // What the call has read is out of date, so that it can never write.
    if (this.#version() !== call.version) this.#supersede(call);
    if (call.ending !== undefined) throw call.ending;
    for (const other of this.#calls) if (other !== call && !other.readOnly) this.#supersede(other);
    connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    try {
      return work();
    } finally {
      connection.exec('pragma busy_timeout = 0');
    }
  }

  #supersede(call: OpenCall): void {
    if (call.ending !== undefined) return;
    rollBack(call.connection);
    call.isSuperseded = true;
    call.ending = new TransactionClosedError(
      'Another tool call has changed the database, so this one cannot write any more. It runs again.',
    );
  }

  #connect(): SqliteDatabase {
    const connection = this.#open();
    // The calls of this process share a thread: waiting for one of them would never end.
    connection.exec('pragma busy_timeout = 0');
    return connection;
  }

  #end(call: OpenCall): void {
    if (!this.#calls.delete(call)) return;
    rollBack(call.connection);
    if (call.readOnly) call.connection.exec('pragma query_only = 0');
    this.#idle.push(call.connection);
  }
}
