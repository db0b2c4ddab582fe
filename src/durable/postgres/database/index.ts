export { type HeldClient, PostgresDatabase, type PostgresRow, sqlStateOf } from './database.ts';
export type { PostgresClient, PostgresPool, PostgresQuery } from './pool.ts';
export { assertSchema, defaultSchema, quoted } from './schema-name.ts';
