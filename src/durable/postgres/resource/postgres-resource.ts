import {
  assertOptions,
  number,
  type OptionsOf,
  type RefuseArgument,
  ResourceError,
  withDefaults,
} from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type {
  DecidingRow,
  ResourceTransaction,
  SerialProtocol,
  TransactionBeginOptions,
} from '../../../core/resource/index.ts';
import { PostgresDatabase, type PostgresPool } from '../database/index.ts';
import type { DecidingCalls } from '../store/deciding-calls.ts';
import type { PostgresRunJournal } from '../store/postgres-run-journal.ts';
import { type PostgresConnection, queryOn } from './connection.ts';
import { type DatabaseCall, DatabaseTransaction } from './database-transaction.ts';

/** Options of {@link postgresResource}. */
export interface PostgresResourceOptions {
  /** A pool of `pg`, which its caller ends. Each call that is open takes a connection of it. */
  readonly pool: PostgresPool;
  /**
   * The journal of the runs, one of `postgresJournal` on the same database: the row of a call is committed in the transaction of the call. Default: none; then a call and its row
   * are two transactions.
   */
  readonly journal?: PostgresRunJournal;
  /** How long a connection, the beginning and the end of a transaction may take, in milliseconds; 1 or more. Not the statements of a call. Default: 15,000. */
  readonly timeoutMs?: number;
}

/** What {@link postgresResource} returns: options of `binding`. */
export interface PostgresResource {
  readonly instance: PostgresConnection;
  readonly transactional: SerialProtocol<PostgresConnection>;
}

const checks: OptionsOf<PostgresResourceOptions, 'timeoutMs'> = {
  pool: 'object!',
  journal: 'object',
  timeoutMs: number({ min: 1, default: 15_000 }),
};

/**
 * A PostgreSQL database as a resource that takes part in the transaction of each tool call: what a call that fails wrote is rolled back. Calls of tools with effects `'read'` cannot
 * write. With the `journal` of the same database, what a call wrote and its row are one transaction: on any number of machines, and wherever a process is killed, each call that the run
 * has is in the database once.
 *
 * A call gets a connection of its own with `query`, at the level READ COMMITTED; a prompt that binds the resource runs its calls one by one. After a statement that has failed, PostgreSQL
 * commits nothing of the transaction, so the call fails.
 *
 * @example
 * ```ts no-run
 * import { binding, resourceToken } from 'weakincentives';
 * import { type PostgresConnection, type PostgresPool, postgresJournal, postgresResource } from 'weakincentives/postgres';
 *
 * const Orders = resourceToken<PostgresConnection>('orders');
 * // new Pool({ connectionString }) of the package pg
 * export function ordersIn(pool: PostgresPool) {
 *   const journal = postgresJournal({ pool });
 *   return { journal, orders: binding(Orders, postgresResource({ pool, journal })) };
 * }
 * ```
 *
 * @throws {ResourceError} `resource-binding-invalid` for an option that is unknown, missing or of the wrong kind, and a journal that is not in PostgreSQL.
 * @see docs/spec/resources.md §7
 */
export function postgresResource(options: PostgresResourceOptions): PostgresResource {
  assertOptions('postgresResource()', options, checks, refuse);
  const { pool, journal } = options;
  const { timeoutMs } = withDefaults(checks, options);
  const calls = journal?.['~calls'];
  if (journal !== undefined && calls === undefined) {
    throw new ResourceError(
      'resource-binding-invalid',
      'postgresResource(): the option journal is not one of postgresJournal(), whose rows are in the same database.',
    );
  }
  const database = new PostgresDatabase(pool, timeoutMs);
  const parts = new WeakMap<PostgresConnection, DatabaseCall>();
  const begin = async (
    resource: PostgresConnection,
    { readOnly }: TransactionBeginOptions,
  ): Promise<ResourceTransaction<PostgresConnection>> => {
    const outer = parts.get(resource);
    const isReadOnly = readOnly || outer?.isReadOnly === true;
    const call = outer?.call ?? (await DatabaseTransaction.begin(await database.hold(), isReadOnly));
    const transaction = outer === undefined ? endsOf(call, calls) : await call.beginWithin(outer, isReadOnly);
    const { revoke, view } = call.view();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    parts.set(view, { call, isReadOnly, within: Promise.resolve(), ended });
    return {
      view,
      revoke: () => {
        revoke();
        end();
      },
      ...transaction,
    };
  };
  return {
    instance: { query: (statement, values) => queryOn(pool, statement, values) },
    transactional: Object.freeze({
      mayFail: true,
      ...present({ '~sharesTransactionWith': journal?.['~database'] }),
      begin,
    }),
  };
}

type Ends = Pick<ResourceTransaction<PostgresConnection>, 'commit' | 'rollback' | '~commitWith'>;

function endsOf(call: DatabaseTransaction, calls: DecidingCalls | undefined): Ends {
  const ends: Ends = { commit: () => call.commit(), rollback: () => call.rollback() };
  if (calls === undefined) return ends;
  const commitWith = (row: DecidingRow): void => {
    call.assertCommittable();
    calls.decideWith(row, call.client);
  };
  return { ...ends, '~commitWith': commitWith };
}

const refuse: RefuseArgument = (message, options) =>
  new ResourceError('resource-binding-invalid', message, options);
