import { TransactionClosedError } from '../../../core/error/index.ts';
import { attempt, present } from '../../../core/internal/index.ts';
import { migrationsFrom } from '../../journal/index.ts';
import type { SqliteDatabase } from './database.ts';
import { findFormat, migrate, readAsPresent } from './migrate.ts';
import { type JournalSchema, journalSchema } from './schema.ts';

/** How far a commit is brought: `full` survives a loss of power, `normal` the end of the process only. */
export type Synchronous = 'full' | 'normal';

const busyTimeoutMs = 5_000;
/** How long another process may take to migrate the journal. */
const migrationTimeoutMs = 60_000;
const retryAfterMs = 20;

/** The first version without the bug by which two connections can reset the log of a database at the same time. */
const safeVersion = [3, 51, 3] as const;

/** How a store is opened. */
export interface OpenStoreOptions {
  readonly synchronous: Synchronous;
  /** The database is read as it is, and nothing in it is changed. */
  readonly isReadOnly?: boolean;
}

/** What opening a store has found out. */
export interface OpenedStore {
  /** The format of the tables, which another process may raise later. */
  readonly format: number;
  /** The version of SQLite when it is one that only one connection may use at a time; then this one has the database for itself. */
  readonly exclusiveVersion?: string;
}

/**
 * Sets the connection up, and creates the tables of the journal or migrates them, in one transaction. The format is in a table of its own, not in
 * `user_version`, which belongs to the caller of a shared database.
 *
 * @param schema that of this version; another one in tests.
 * @throws {JournalError} `journal-version-unsupported`; what the driver throws.
 */
export function openStore(
  database: SqliteDatabase,
  { synchronous, isReadOnly = false }: OpenStoreOptions,
  schema: JournalSchema = journalSchema,
): OpenedStore {
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  if (isReadOnly) {
    const format = findFormat(database);
    readAsPresent(database, schema, format);
    return { format: format ?? schema.format };
  }
  const version = versionOf(database);
  const isExclusive = isOlder(version);
  // From the next access on, other connections find the database locked.
  if (isExclusive) database.exec('pragma locking_mode = exclusive');
  const found = findFormat(database);
  // One that is refused is left as it is.
  if (found !== undefined) migrationsFrom(found, schema);
  useLog(database);
  database.exec(`pragma synchronous = ${synchronous}`);
  // What is removed is overwritten; otherwise it could be read in the file until its place is used again.
  database.exec('pragma secure_delete = on');
  if (found !== schema.format) {
    database.exec(`pragma busy_timeout = ${migrationTimeoutMs}`);
    inTransaction(database, () => migrate(database, schema));
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }
  return { format: schema.format, ...present({ exclusiveVersion: isExclusive ? version : undefined }) };
}

/**
 * Changes the mode of the database. While another connection does the same, this fails at once, however long the time-out for locks is; so it
 * is tried again for that time.
 */
function useLog(database: SqliteDatabase): void {
  for (let tries = 1; ; tries += 1) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || tries * retryAfterMs > busyTimeoutMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfterMs);
    }
  }
}

/**
 * Brings the log of the database into its file and empties it, so that what was removed is in neither. Does nothing while another connection reads
 * or writes: a later one does it, at the latest the last connection when it is closed. No transaction is open. Never throws.
 */
export function emptyLog(database: SqliteDatabase): void {
  attempt(() => {
    // The pragma returns one row with one column.
    const { timeout } = database.prepare('pragma busy_timeout').get() as { timeout: number | bigint };
    database.exec('pragma busy_timeout = 0');
    // What was removed stays removed.
    attempt(() => database.exec('pragma wal_checkpoint(truncate)'));
    database.exec(`pragma busy_timeout = ${timeout}`);
  });
}

/** Whether another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return isOfKind(error, 5, 'SQLITE_BUSY');
}

/** Whether the file is not a database, or a damaged one. */
export function isDamage(error: unknown): boolean {
  return isOfKind(error, 11, 'SQLITE_CORRUPT') || isOfKind(error, 26, 'SQLITE_NOTADB');
}

/** Whether an error is of a kind: by its number as `node:sqlite` says it, or by its name as better-sqlite3 does. */
function isOfKind(error: unknown, number: number, name: string): boolean {
  if (!(error instanceof Error)) return false;
  // The extended codes have the plain one in their lowest byte.
  const errcode: unknown = Reflect.get(error, 'errcode');
  const code: unknown = Reflect.get(error, 'code');
  return (typeof errcode === 'number' && errcode % 256 === number) || String(code).startsWith(name);
}

/** Runs `work` in a transaction that may write; rolls it back when it throws. */
export function inTransaction<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** All of `work` or nothing, within the transaction that is open. Some failures, such as a full disk, have ended that when it throws. */
export function inSavepoint<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('savepoint wink_write');
  try {
    const result = work();
    database.exec('release wink_write');
    return result;
  } catch (error) {
    attempt(() => database.exec('rollback to wink_write; release wink_write'));
    throw error;
  }
}

/** Ends the open transaction without its changes. Some failures, such as a full disk, have done so already. */
export function rollBack(database: SqliteDatabase): void {
  attempt(() => database.exec('rollback'));
}

/** Whether a transaction is open: some failures, such as a full disk, end it. */
export function isTransactionOpen(database: SqliteDatabase): boolean {
  try {
    database.exec('begin');
  } catch {
    // There is one already.
    return true;
  }
  database.exec('rollback');
  return false;
}

function versionOf(database: SqliteDatabase): string {
  // A statement returns its row with the columns that it names.
  const { version } = database.prepare('select sqlite_version() as version').get() as { version: string };
  return version;
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of safeVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}

/** The error for a call whose transaction SQLite has ended after a failure, as with a full disk. */
export function rolledBack(cause: unknown): TransactionClosedError {
  return new TransactionClosedError(
    'SQLite has rolled back the transaction of this tool call after a failure, so the database can no longer be used through it.',
    { cause },
  );
}
