export {
  type SqliteResource,
  type SqliteResourceOptions,
  sqliteResource,
} from './resource/sqlite-resource.ts';
export { type SqliteJournalOptions, type SqliteRunJournal, sqliteJournal } from './sqlite-journal.ts';
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './store/database.ts';
