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
