import { createRequire, isBuiltin } from 'node:module';
import { onTestFinished } from 'vitest';
import type { RunJournal } from 'weakincentives';
import {
  type SqliteDatabase,
  type SqliteJournalOptions,
  type SqliteRunJournal,
  sqliteJournal,
} from 'weakincentives/sqlite';

/** Why tests of SQLite are skipped; undefined where they run. */
export const noSqlite: string | undefined = isBuiltin('node:sqlite')
  ? undefined
  : 'this Node has no node:sqlite';

/** Name of a suite, with the reason why it is skipped. */
export const sqliteSuite = (name: string): string =>
  noSqlite === undefined ? name : `${name} (skipped: ${noSqlite})`;

/** An open database that can be closed. */
export interface ClosableDatabase extends SqliteDatabase {
  close(): void;
}

/** Opens a database, which is closed after the test. */
export type OpenDatabase = (path?: string) => ClosableDatabase;

/** Opens a database of `node:sqlite`. */
export const openDatabase: OpenDatabase = (path = ':memory:') => {
  // The types of Node 20 do not have the module.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    readonly DatabaseSync: new (path: string) => ClosableDatabase;
  };
  return closedAfterTest(new DatabaseSync(path));
};

/** Opens a database of better-sqlite3, which needs Node 22, as `node:sqlite` does. */
export const openBetterSqlite: OpenDatabase = (path = ':memory:') => {
  // The package has no types.
  const Database = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => ClosableDatabase;
  return closedAfterTest(new Database(path));
};

/** A statement of node-sqlite3-wasm. */
interface WasmStatement {
  run(values: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  all(values: readonly unknown[]): unknown[];
}

/**
 * Opens a database with SQLite as WebAssembly, which runs on every Node. It has no WAL mode, and cannot open a file that is in it: see
 * {@link withoutWal}.
 */
export const openWasmSqlite: OpenDatabase = (path = ':memory:') => {
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
    readonly Database: new (
      file: string,
    ) => { exec(sql: string): unknown; prepare(sql: string): WasmStatement; close(): void };
  };
  const database = new Database(path);
  return closedAfterTest({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(values),
        // Its own `get` leaves the statement in the middle of its rows, with their lock.
        get: (...values) => statement.all(values)[0],
        all: (...values) => statement.all(values),
      };
    },
    close: () => database.close(),
  });
};

/** The bytes of a database file that is in WAL mode and has no log, as one that is not. */
export function withoutWal(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  // The versions that a writer and a reader need: https://sqlite.org/fileformat2.html#file_format_version_numbers
  copy.fill(1, 18, 20);
  return copy;
}

/** The drivers, by name. */
export const drivers: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ['node:sqlite', openDatabase],
  ['better-sqlite3', openBetterSqlite],
];

function closedAfterTest(database: ClosableDatabase): ClosableDatabase {
  onTestFinished(() => database.close());
  return database;
}

/** A journal that is disposed after the test. */
export function openJournal(options: SqliteJournalOptions): SqliteRunJournal {
  const journal = sqliteJournal(options);
  onTestFinished(() => journal[Symbol.asyncDispose]());
  return journal;
}

/** Resolves when everything before was answered: a journal answers in order. */
export async function settled(journal: RunJournal): Promise<void> {
  await journal.read('none');
}
