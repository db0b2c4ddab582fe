export type { PostgresClient, PostgresPool, PostgresQuery } from './database/index.ts';
export { type PostgresJournalOptions, postgresJournal } from './postgres-journal.ts';
export { type MigrateOptions, migrate } from './store/migrate.ts';
export type { PostgresRunJournal } from './store/postgres-run-journal.ts';
