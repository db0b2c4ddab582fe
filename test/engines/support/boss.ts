import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type { PgBossQueueOptions } from 'weakincentives/durable';
import { noPostgres, type PostgresServer } from './postgres.ts';

const peers = fileURLToPath(new URL('../../peers/engines/node_modules/', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Why tests of pg-boss are skipped; undefined where they run. */
export const noPgBoss: string | undefined =
  noPostgres ??
  (existsSync(`${peers}pg-boss`) ? undefined : 'pg-boss is not installed') ??
  (major > 22 || (major === 22 && minor >= 12) ? undefined : 'pg-boss 12 needs Node 22.12');

/** Name of a suite, with the reason why it is skipped. */
export const pgBossSuite = (name: string): string =>
  noPgBoss === undefined ? name : `${name} (skipped: ${noPgBoss})`;

/** An instance of pg-boss, as the tests use it. */
export interface TestBoss extends PgBoss {
  start(): Promise<unknown>;
  stop(options?: object): Promise<void>;
  resume(name: string, id: string): Promise<unknown>;
  findJobs(name: string, options: object): Promise<readonly BossJob[]>;
}

type PgBoss = PgBossQueueOptions['boss'];

/** What the tests read of a job. */
interface BossJob {
  readonly id: string;
  readonly state: string;
  readonly data: unknown;
  readonly output: unknown;
  readonly retryCount: number;
}

/** The address of a module that is installed for the tests of engines alone. */
export const peerModule = (path: string): string => pathToFileURL(`${peers}${path}`).href;

/** Starts an instance of pg-boss on a schema of the server, which is stopped after the test. */
export async function startBoss(server: PostgresServer, schema: string): Promise<TestBoss> {
  const { PgBoss } = (await import(peerModule('pg-boss/dist/index.js'))) as {
    readonly PgBoss: new (options: object) => TestBoss;
  };
  const boss = new PgBoss({
    connectionString: server.url,
    schema,
    max: 4,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', () => undefined);
  onTestFinished(() => boss.stop({ graceful: false }));
  await boss.start();
  return boss;
}
