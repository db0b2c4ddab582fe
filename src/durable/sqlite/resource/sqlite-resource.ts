import { assertOptions, type RefuseArgument, ResourceError } from '../../../core/error/index.ts';
import type { TransactionProtocol } from '../../../core/resource/index.ts';
import type { SqliteDatabase } from '../store/database.ts';
import { parallelProtocol } from './parallel-protocol.ts';
import { serialProtocol } from './serial-protocol.ts';

/** Options of {@link sqliteResource}. */
export interface SqliteResourceOptions<Database extends SqliteDatabase = SqliteDatabase> {
  /** An open database of `node:sqlite` or better-sqlite3; see {@link SqliteDatabase} for the versions. Its caller closes it. */
  readonly database: Database;
  /**
   * Opens another connection to the same file, which is in WAL mode; then calls run at the same time, each on a connection of its own. May throw: the call
   * cannot have the resource. The connections are kept for later calls, and closed with the process. Default: calls run one by one on
   * `database`.
   */
  readonly open?: () => SqliteDatabase;
}

/** What {@link sqliteResource} returns: options of `binding`. */
export interface SqliteResource<Database extends SqliteDatabase = SqliteDatabase> {
  readonly instance: Database;
  readonly transactional: TransactionProtocol<Database>;
}

/**
 * A database as a resource that takes part in the transaction of each tool call: what a call that fails wrote is rolled back. Calls of tools with
 * effects `'read'` cannot write.
 *
 * Calls get a view of the database: `exec` and `prepare`, without statements that end a transaction; it has no other member of the driver, whatever the type of the
 * token. A journal on the same `database` object
 * commits the row of a call together with what the call wrote.
 *
 * @example
 * ```ts no-run
 * import { binding, resourceToken } from 'weakincentives';
 * import { type SqliteDatabase, sqliteResource } from 'weakincentives/sqlite';
 *
 * // Or the type of the driver: resourceToken<DatabaseSync>('orders').
 * const Orders = resourceToken<SqliteDatabase>('orders');
 * export const ordersIn = (database: SqliteDatabase) => binding(Orders, sqliteResource({ database }));
 * ```
 *
 * @throws {ResourceError} `resource-binding-invalid` for options of the wrong kind.
 * @see docs/spec/resources.md §6
 */
export function sqliteResource<Database extends SqliteDatabase>(
  options: SqliteResourceOptions<Database>,
): SqliteResource<Database> {
  assertOptions('sqliteResource()', options, { database: 'object!', open: 'function' }, refuse);
  const { database, open } = options;
  const protocol: TransactionProtocol<SqliteDatabase> =
    open === undefined ? serialProtocol(database) : parallelProtocol(database, open);
  return Object.freeze({
    instance: database,
    // A view has those members of the driver's database that `SqliteDatabase` names.
    transactional: protocol as TransactionProtocol<Database>,
  });
}

const refuse: RefuseArgument = (message, details) =>
  new ResourceError('resource-binding-invalid', message, details);
