import { isBuiltin } from 'node:module';
import {
  assertOptions,
  JournalError,
  MissingPeerError,
  number,
  type OptionsOf,
  oneOf,
  type RefuseArgument,
  withDefaults,
} from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { machineTickMs, presentProcess, sha256Of } from '../../host/lock/index.ts';
import { blobsChecks, type JournalBlobs } from '../blobs/index.ts';
import { type JournalBackend, journalFailure, leasedJournal } from '../journal/index.ts';
import { type JournalThreadOptions, journalThread } from './journal-thread.ts';
import { type SqliteDatabase, sqliteDrivers } from './store/database.ts';
import { localBackend } from './store/local-backend.ts';
import { isDamage, type OpenedStore, openStore, type Synchronous } from './store/open-store.ts';

interface CommonOptions {
  /** `full`: what was appended survives a loss of power. `normal`: it survives the end of the process. Default: `full`. */
  readonly synchronous?: Synchronous;
  /** How long a lease lasts that is not renewed, in milliseconds. It is renewed three times in that time. Default: 30,000. */
  readonly leaseTimeoutMs?: number;
  /** Time for the leases, as all processes on the database see it. Default: that of the machine; its timers do not keep the process alive. */
  readonly clock?: Clock;
  /** Where rows are kept whose lines are too long for the database. All who read the journal need it. Default: the database has all. */
  readonly blobs?: JournalBlobs;
}

/** Options of {@link sqliteJournal}. */
export type SqliteJournalOptions = CommonOptions &
  (
    | {
        /** An open database of `node:sqlite` or better-sqlite3; see {@link SqliteDatabase} for the versions. Its caller closes it. */
        readonly database: SqliteDatabase;
        readonly file?: never;
        readonly readOnly?: never;
      }
    | {
        /** Path of the file, which is made with mode 0600, and its folder with 0700. Needs `node:sqlite`. */
        readonly file: string;
        readonly database?: never;
        /**
         * The file exists, and nothing in it is changed: no tables are made or migrated, and what would write rejects. A journal of an earlier version is read as
         * it is. Default: false.
         */
        readonly readOnly?: boolean;
      }
  );

const checks: OptionsOf<SqliteJournalOptions, 'leaseTimeoutMs' | 'synchronous'> = {
  file: 'string',
  database: 'object',
  readOnly: 'boolean',
  leaseTimeoutMs: number({ min: 1, default: 30_000 }),
  clock: 'object',
  synchronous: oneOf(['full', 'normal'], 'full'),
  blobs: blobsChecks,
};

/** A journal in a database. Disposing of it releases its leases. */
export interface SqliteRunJournal extends RunJournal, AsyncDisposable {
  /** @internal The database that a resource may share with it: the core compares it with that of a protocol. */
  readonly '~database'?: SqliteDatabase;
}

/**
 * A journal of runs in an SQLite database, for any number of processes on one machine.
 *
 * With `file`, a thread of its own has the database open: appends that arrive while others are written are written together. With
 * `database`, everything is done in the caller's thread at once; a `sqliteResource` on the same object commits with the journal. What is
 * written while a call has its transaction open there is durable with that call: for tools with effects outside that run meanwhile, use another file. Rows are
 * not redacted, so the file is as secret as what runs work on.
 *
 * A journal of an earlier version is migrated when it is opened, in one transaction; that version cannot use it any more.
 *
 * Reading and writing reject with a `JournalError`, whose cause is the error of the driver; nothing was written then.
 *
 * ```ts no-run
 * import { type AnyAgent, runAgent } from 'weakincentives';
 * import { sqliteJournal } from 'weakincentives/sqlite';
 *
 * // Begins the run of a job, continues it after a crash, or returns its answer again.
 * export async function runJob(agent: AnyAgent, id: string): Promise<string> {
 *   await using journal = sqliteJournal({ file: 'runs.db' });
 *   return (await runAgent(agent, { journal, runId: id })).text;
 * }
 * ```
 *
 * @throws {MissingPeerError} with `file` where Node has no `node:sqlite`.
 * @throws {JournalError} `journal-invalid`; with `database` also `journal-version-unsupported` and `journal-failed`, which with `file` the
 * first use rejects with.
 * @see docs/spec/durable-runs.md §1
 */
export function sqliteJournal(options: SqliteJournalOptions): SqliteRunJournal {
  assertOptions('sqliteJournal()', options, checks, refuse);
  const { file, database, readOnly: isReadOnly = false, clock, blobs } = options;
  const { leaseTimeoutMs, synchronous } = withDefaults(checks, options);
  if ((file === undefined) === (database === undefined))
    throw invalid('pass either the option file or database');
  if (isReadOnly && file === undefined) throw invalid('the option readOnly needs the option file');
  const onOpened = ({ exclusiveVersion }: OpenedStore): void => {
    if (exclusiveVersion !== undefined) warn(exclusiveText(exclusiveVersion));
  };
  const backend =
    database === undefined
      ? threadBackend({ file, synchronous, isReadOnly, onOpened })
      : connectedBackend(database, synchronous, onOpened);
  const journal = leasedJournal({
    backend,
    leaseTimeoutMs,
    readOnly: isReadOnly,
    holder: JSON.stringify(presentProcess()),
    ...present({ blobs }),
    ...(clock === undefined ? { tickMs: machineTickMs } : { clock }),
  });
  return Object.assign(journal, { '~sha256': sha256Of }, present({ '~database': database }));
}

function threadBackend(options: JournalThreadOptions): JournalBackend {
  if (!isBuiltin('node:sqlite')) throw missingDriver();
  return journalThread(options);
}

function connectedBackend(
  database: SqliteDatabase,
  synchronous: Synchronous,
  onOpened: (opened: OpenedStore) => void,
): JournalBackend {
  try {
    const opened = openStore(database, { synchronous });
    onOpened(opened);
    return localBackend(database, opened);
  } catch (error) {
    throw journalFailure(error, { isDamage });
  }
}

const refuse: RefuseArgument = (message, options) => new JournalError('journal-invalid', message, options);

const invalid = (problem: string): JournalError =>
  new JournalError('journal-invalid', `sqliteJournal(): ${problem}.`);

const warn = (message: string): void => process.emitWarning(message, { code: 'WINK_SQLITE_EXCLUSIVE' });

const exclusiveText = (version: string): string =>
  `The journal is used by this process only: SQLite ${version} can damage a database with several connections. Several processes need SQLite 3.51.3 or later: a newer Node, or another driver.`;

const missingDriver = (): MissingPeerError =>
  new MissingPeerError(
    `sqliteJournal({ file }) needs the module "node:sqlite", which this Node does not have, and { database } an open database. ${sqliteDrivers}.`,
  );
