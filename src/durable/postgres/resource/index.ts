export type { PostgresConnection, PostgresResult, PostgresStatement } from './connection.ts';
export {
  type PostgresResource,
  type PostgresResourceOptions,
  postgresResource,
} from './postgres-resource.ts';
