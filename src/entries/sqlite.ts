/**
 * A journal of runs in SQLite, and a database as a transactional resource.
 *
 * Runs in Node; `node:sqlite` of Node 22.13, or better-sqlite3 (12 on Node 20, where 13 ends the process).
 *
 * @module weakincentives/sqlite
 */

export {
  type SqliteResource,
  type SqliteResourceOptions,
  sqliteResource,
} from '../durable/sqlite/resource/sqlite-resource.ts';
export {
  type SqliteJournalOptions,
  type SqliteRunJournal,
  sqliteJournal,
} from '../durable/sqlite/sqlite-journal.ts';
export type { SqliteDatabase, SqliteStatement, SqliteValue } from '../durable/sqlite/store/database.ts';
