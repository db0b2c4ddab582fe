import type { SqliteDatabase } from 'weakincentives/sqlite';

/** `new DatabaseSync(file)` of node:sqlite. The types of Node 20, which these programs are checked with, do not have the module. */
export function openDatabase(file: string): SqliteDatabase & { close(): void } {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    readonly DatabaseSync: new (file: string) => SqliteDatabase & { close(): void };
  };
  return new DatabaseSync(file);
}
