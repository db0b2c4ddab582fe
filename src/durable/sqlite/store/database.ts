/** A value that is bound to a parameter of a statement. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A prepared statement: the methods of `node:sqlite` and better-sqlite3 that are used. */
export interface SqliteStatement {
  /** Executes it, and says how many rows it changed and which one it inserted last. */
  run(...parameters: SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  /** The first row, as an object with a member for each column; `undefined` where there is none. */
  get(...parameters: SqliteValue[]): unknown;
  /** All rows. */
  all(...parameters: SqliteValue[]): unknown[];
}

/** The drivers that can be used, for messages. */
export const sqliteDrivers: string =
  'Use Node 22.13 or later, which has node:sqlite, or better-sqlite3: version 12 from 12.11 on, or from Node 22 on version 13, too. On Node 20 version 13 ends the process when it opens a database';

/**
 * An open database: a `DatabaseSync` of `node:sqlite`, or a `Database` of better-sqlite3 12.11 or later. On Node 20 it has to be 12: version 13 ends the process there when it opens a
 * database, without an error. All of it is synchronous; what fails
 * throws the error of the driver.
 */
export interface SqliteDatabase {
  /** Executes statements that return nothing. */
  exec(sql: string): unknown;
  /** Makes a statement of the first one in `sql`; parameters are question marks. */
  prepare(sql: string): SqliteStatement;
}
