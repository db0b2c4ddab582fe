import { readFileSync } from 'node:fs';
import { isRecord, readJson } from '../../core/internal/index.ts';
import { type PgBossQueueOptions, pgBossQueue, type RunQueue } from '../../durable/queue/index.ts';
import { databaseProblem } from '../journal/database-problem.ts';
import { namedByEnvironment, placeOf, shownName } from '../journal/journal-name.ts';
import { packageAddress } from '../model/package-address.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** A queue that the command has opened. */
export interface OpenedQueue extends AsyncDisposable {
  readonly queue: RunQueue;
}

/** How {@link openQueue} opens it. */
export interface OpenQueueOptions {
  /** The address of the database. */
  readonly address: string;
  /** The folder whose packages are used, before those of this command. */
  readonly folder: string;
  /** Whether jobs are taken from it; otherwise they are sent alone. */
  readonly isForWork: boolean;
  /** Gets what goes wrong in the queue. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * The address of the database that has the journal and the queue.
 *
 * @throws {UsageError} for a journal that is not in PostgreSQL.
 */
export function databaseAddress(
  name: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const named = name ?? namedByEnvironment(variables);
  const place = named === undefined ? undefined : placeOf(named);
  if (place?.kind === 'postgres') return place.address;
  throw new UsageError(
    'workers need a journal in PostgreSQL, which has their queue, too: --journal postgres://USER@HOST/DATABASE, or the variable WINK_JOURNAL. On one machine "wink run --durable" needs neither.',
  );
}

type Boss = PgBossQueueOptions['boss'] & {
  start(): Promise<unknown>;
  stop(options: object): Promise<unknown>;
};

/**
 * Opens the queue of a database by the package pg-boss, and makes its tables where there are none.
 *
 * @throws {UsageError} when pg-boss is not installed, or is an older one, and for a database that cannot be used.
 */
export async function openQueue(options: OpenQueueOptions): Promise<OpenedQueue> {
  const { address, isForWork, onError } = options;
  const PgBoss = await loadPgBoss(options.folder);
  const everySeconds = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 };
  const boss = new PgBoss({
    connectionString: address,
    application_name: 'wink',
    max: isForWork ? 4 : 1,
    ...(isForWork ? everySeconds : { supervise: false, schedule: false }),
  });
  boss.on('error', onError);
  try {
    await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw new UsageError(
      `the queue in "${printable(shownName(address))}" cannot be used: ${databaseProblem(error)}`,
      { cause: error },
    );
  }
  return {
    queue: pgBossQueue({ boss, onError: () => undefined }),
    [Symbol.asyncDispose]: async () => void (await boss.stop({ graceful: false })),
  };
}

async function loadPgBoss(folder: string): Promise<new (options: object) => Boss> {
  const address = packageAddress('pg-boss', folder);
  if (address === undefined) {
    throw new UsageError(
      'the queue needs the package "pg-boss", where the agent or this command is installed: npm install pg-boss@12, with Node 22.12 or later.',
    );
  }
  const manifest = readJson(readFileSync(new URL('../package.json', address), 'utf8'));
  const version = isRecord(manifest) ? String(manifest['version']) : '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 12 || (major === 12 && minor < 13)) {
    throw new UsageError(
      `the queue needs pg-boss 12.13 or later, and ${printable(version)} is installed: use Node 22.12 or later, for which npm installs it, and run npm install pg-boss@12. This is Node ${process.versions.node}.`,
    );
  }
  // Its version has this export.
  const { PgBoss } = (await import(address)) as { readonly PgBoss: new (options: object) => Boss };
  return PgBoss;
}
