import {
  assertOptions,
  describeError,
  JournalError,
  type OptionsOf,
  type RefuseArgument,
} from '../../../core/error/index.ts';
import { migrationsFrom } from '../../journal/index.ts';
import {
  assertSchema,
  defaultSchema,
  type HeldClient,
  PostgresDatabase,
  type PostgresPool,
  quoted,
} from '../database/index.ts';
import { type PostgresSchema, postgresSchema } from './schema.ts';

/** How long each statement may take: others may migrate the same journal, or use its tables. */
const statementTimeoutMs = 600_000;

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** Connections to the database, such as a `Pool` of `pg`. Its user may create tables in the schema, and the schema where it is not there. */
  readonly pool: PostgresPool;
  /** The schema of the tables: 1 to 63 lower-case letters, digits and `_`, without a digit or `pg_` at the beginning. Default: `wink`. */
  readonly schema?: string;
}

const checks: OptionsOf<MigrateOptions> = { pool: 'object!', schema: 'string' };

const refuse: RefuseArgument = (message, options) => new JournalError('journal-invalid', message, options);

/**
 * Creates the tables of a journal in a database of PostgreSQL, or brings those of an earlier version to the present format, in one transaction. Where they have it, nothing is
 * changed, and no right to change them is needed. Of several callers at the same time one does it, and the others wait.
 *
 * An earlier version of the library cannot use the journal from then on: its calls reject with `journal-version-unsupported`.
 *
 * @throws {JournalError} `journal-invalid` for an option that is unknown, missing or wrong; `journal-version-unsupported` for tables of a later version; `journal-failed` with the
 * error of the driver as its cause. Nothing was changed then.
 * @see docs/spec/durable-runs.md §18
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  assertOptions('migrate()', options, checks, refuse);
  const { pool, schema = defaultSchema } = options;
  assertSchema(schema, 'migrate()');
  await migrateTo(postgresSchema, new PostgresDatabase(pool, statementTimeoutMs), schema);
}

/** @param schema that of this version; another one in tests. @param name of the schema, which was checked. */
export async function migrateTo(
  schema: PostgresSchema,
  database: PostgresDatabase,
  name: string,
): Promise<void> {
  try {
    await database.withClient(async (client) => {
      if ((await findFormat(client, name)) === schema.format) return;
      await client.query('begin isolation level read committed');
      // Ends with the transaction, so that it works with a pooler of transactions.
      await client.query("select pg_advisory_xact_lock(hashtextextended('wink journal ' || $1::text, 0))", [
        name,
      ]);
      for (const text of await statementsOf(schema, client, name)) await client.query(text);
      await client.query('commit');
    });
  } catch (error) {
    if (JournalError.isInstance(error)) throw error;
    throw new JournalError(
      'journal-failed',
      `The tables of the journal could not be created or migrated, and nothing was changed: ${describeError(error)}.`,
      { cause: error },
    );
  }
}

/** What is left to do, once no other process migrates. */
async function statementsOf(
  schema: PostgresSchema,
  client: HeldClient,
  name: string,
): Promise<readonly string[]> {
  const format = await findFormat(client, name);
  if (format === undefined) {
    const [found] = await client.query('select 1 from pg_namespace where nspname = $1', [name]);
    // A role with the right to make tables need not have the one to make schemas.
    return [
      ...(found === undefined ? [`create schema ${quoted(name)}`] : []),
      ...schema.tables(quoted(name)),
    ];
  }
  const steps = migrationsFrom(format, schema, 'schema');
  if (steps.length === 0) return [];
  return [
    ...steps.flatMap((step) => step.upgrade(quoted(name))),
    `update ${quoted(name)}.wink_journal set format = ${schema.format}`,
  ];
}

/** The format of the tables; undefined where there are none. */
async function findFormat(client: HeldClient, name: string): Promise<number | undefined> {
  // Unlike `to_regclass()`, a table of the catalog shows what another transaction has created since this one began.
  const [found] = await client.query(
    "select 1 from pg_namespace n join pg_class c on c.relnamespace = n.oid where nspname = $1 and relname = 'wink_journal'",
    [name],
  );
  if (found === undefined) return undefined;
  const [journal] = await client.query<'format'>(`select format from ${quoted(name)}.wink_journal`);
  return Number(journal?.format);
}
