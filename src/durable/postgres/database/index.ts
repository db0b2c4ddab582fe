export { type HeldClient, PostgresDatabase, type PostgresRow, sqlStateOf } from './database.ts';
export type { PostgresClient, PostgresPool, PostgresQuery } from './pool.ts';
export { defaultSchema, quotedSchema } from './schema-name.ts';
