export type { PostgresClient, PostgresPool, PostgresQuery } from './database/index.ts';
export { type PostgresJournalOptions, type PostgresRunJournal, postgresJournal } from './postgres-journal.ts';
export { type MigrateOptions, migrate } from './store/migrate.ts';
