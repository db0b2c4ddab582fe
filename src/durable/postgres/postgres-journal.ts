import {
  assertOptions,
  JournalError,
  number,
  type OptionsOf,
  type RefuseArgument,
  withDefaults,
} from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { machineTickMs, presentProcess, sha256Of } from '../../host/lock/index.ts';
import { blobsChecks, type JournalBlobs } from '../blobs/index.ts';
import { leasedJournal } from '../journal/index.ts';
import { assertSchema, defaultSchema, PostgresDatabase, type PostgresPool } from './database/index.ts';
import { PostgresBackend } from './store/backend.ts';
import type { PostgresRunJournal } from './store/postgres-run-journal.ts';

/** Options of {@link postgresJournal}. */
export interface PostgresJournalOptions {
  /** Connections to the database, such as a `Pool` of `pg` 8.13 or later. Its caller ends it. */
  readonly pool: PostgresPool;
  /** The schema of the tables: 1 to 63 lower-case letters, digits and `_`, without a digit or `pg_` at the beginning. Default: `wink`. */
  readonly schema?: string;
  /** How long a lease lasts that is not renewed, in milliseconds; 1 or more. It is renewed three times in that time. Default: 30,000. */
  readonly leaseTimeoutMs?: number;
  /** How long a connection and each statement may take, in milliseconds; 1 or more. Default: 15,000. */
  readonly queryTimeoutMs?: number;
  /** Whether every operation that would write rejects with `journal-read-only`. Default: false. */
  readonly readOnly?: boolean;
  /** Time for the leases, as all processes on the database see it. Default: that of the database. */
  readonly clock?: Clock;
  /** Where rows are kept whose lines are too long for the database. All who read the journal need it. Default: the database has all. */
  readonly blobs?: JournalBlobs;
}

const checks: OptionsOf<PostgresJournalOptions, 'leaseTimeoutMs' | 'queryTimeoutMs'> = {
  pool: 'object!',
  schema: 'string',
  leaseTimeoutMs: number({ min: 1, default: 30_000 }),
  queryTimeoutMs: number({ min: 1, default: 15_000 }),
  readOnly: 'boolean',
  clock: 'object',
  blobs: blobsChecks,
};

const refuse: RefuseArgument = (message, options) => new JournalError('journal-invalid', message, options);

/**
 * A journal of runs in a database of PostgreSQL 13 or later, for any number of processes on any number of machines. Leases last by the clock of the database, so the clocks of the
 * machines may differ.
 *
 * It neither creates tables nor changes them: {@link migrate} does, before. Every operation is one statement without a name and without settings of its connection, but for the removal
 * of a run, which is one transaction; so a pooler of transactions may be in between. Rows are not redacted, so the database is as secret as what runs work on.
 *
 * Reading and writing reject with a `JournalError`: `journal-failed` with the error of the driver as its cause, also when the time is up; then nothing was written, or all of it
 * and the answer was lost. `journal-version-unsupported` for tables of another version, with `details.version`, which is 0 for a schema without tables.
 *
 * ```ts no-run
 * import { Pool } from 'pg';
 * import { type AnyAgent, runAgent } from 'weakincentives';
 * import { migrate, postgresJournal } from 'weakincentives/postgres';
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * await migrate({ pool });
 *
 * export async function runJob(agent: AnyAgent, id: string): Promise<string> {
 *   await using journal = postgresJournal({ pool });
 *   return (await runAgent(agent, { journal, runId: id })).text;
 * }
 * ```
 *
 * @throws {JournalError} `journal-invalid` for an option that is unknown, missing, or out of its range.
 * @see docs/spec/durable-runs.md §18
 */
export function postgresJournal(options: PostgresJournalOptions): PostgresRunJournal {
  assertOptions('postgresJournal()', options, checks, refuse);
  const { pool, schema = defaultSchema, readOnly = false, clock, blobs } = options;
  const { leaseTimeoutMs, queryTimeoutMs } = withDefaults(checks, options);
  assertSchema(schema, 'postgresJournal()');
  const database = new PostgresDatabase(pool, queryTimeoutMs);
  const backend = new PostgresBackend({ database, schema, hasClock: clock !== undefined });
  const journal = leasedJournal({
    backend,
    leaseTimeoutMs,
    readOnly,
    holder: JSON.stringify(presentProcess()),
    ...present({ blobs }),
    ...(clock === undefined ? { tickMs: machineTickMs } : { clock }),
  });
  return Object.assign(journal, {
    '~sha256': sha256Of,
    '~database': database,
    '~calls': backend.calls,
  });
}
