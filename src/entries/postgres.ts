/**
 * A journal of runs in PostgreSQL, and a database as a transactional resource.
 *
 * Runs in Node; needs the package `pg`.
 *
 * @module weakincentives/postgres
 */

export {
  type MigrateOptions,
  migrate,
  type PostgresClient,
  type PostgresJournalOptions,
  type PostgresPool,
  type PostgresQuery,
  type PostgresRunJournal,
  postgresJournal,
} from '../durable/postgres/index.ts';
export {
  type PostgresConnection,
  type PostgresResource,
  type PostgresResourceOptions,
  type PostgresResult,
  type PostgresStatement,
  postgresResource,
} from '../durable/postgres/resource/index.ts';
