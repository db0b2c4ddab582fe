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
