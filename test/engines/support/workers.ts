import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunQueue } from 'weakincentives/durable';
import { pgBossQueue } from 'weakincentives/durable';
import { migrate, type PostgresRunJournal, postgresJournal } from '../../../src/durable/postgres/index.ts';
import { peerModule, startBoss, type TestBoss } from './boss.ts';
import { openPool, type PostgresServer } from './postgres.ts';
import { firstOutput } from './started-program.ts';

/** What a process of `test/support/children/work-runs.ts` works on, and how. */
export interface WorkedProcess {
  readonly url: string;
  readonly schema: string;
  readonly bossSchema: string;
  readonly modules: { readonly pg: string; readonly boss: string };
  /** The file that it appends to. */
  readonly log: string;
  readonly concurrency: number;
  readonly leaseTimeoutMs: number;
  readonly drainMs: number;
  readonly sweepMs: number;
  /** How long it takes to make the options of a run. */
  readonly openMs: number;
  /** How long each answer of the model takes. */
  readonly modelMs: number;
  readonly version: string;
  /** Whether a person is asked before the mail is sent. */
  readonly asks: boolean;
}

/** A worker in a process of its own. */
export interface StartedWorker {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Settles with its exit code and its signal. */
  readonly exited: Promise<readonly unknown[]>;
}

/** A database with a journal and a queue, and what workers on it have really done. */
export interface Fleet {
  readonly journal: PostgresRunJournal;
  readonly boss: TestBoss;
  readonly queue: RunQueue;
  start(changes?: Partial<WorkedProcess>): Promise<StartedWorker>;
  /** The words of each line that workers have appended; those of one kind. */
  lines(kind?: string): readonly (readonly string[])[];
  /** How often each run has a line of a kind. */
  count(kind: string): ReadonlyMap<string, number>;
}

/** Makes the tables on a server, and starts nothing. */
export async function openFleet(server: PostgresServer, program: string): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'wink-fleet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const [schema, bossSchema] = [server.freshSchema(), server.freshSchema()];
  const pool = openPool(server);
  await migrate({ pool, schema });
  const journal = postgresJournal({ pool, schema });
  onTestFinished(() => journal[Symbol.asyncDispose]());
  const boss = await startBoss(server, bossSchema);
  const setup: WorkedProcess = {
    url: server.url,
    schema,
    bossSchema,
    modules: { pg: peerModule('pg/lib/index.js'), boss: peerModule('pg-boss/dist/index.js') },
    log,
    concurrency: 10,
    // Nothing waits for its end: a worker that is killed has ended, and one that is busy keeps its runs.
    leaseTimeoutMs: 600_000,
    drainMs: 10_000,
    sweepMs: 1_000,
    openMs: 0,
    modelMs: 20,
    version: '1',
    asks: false,
  };
  const lines = (kind?: string): readonly (readonly string[])[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '))
      .filter(([name]) => kind === undefined || name === kind);
  return {
    journal,
    boss,
    queue: pgBossQueue({ boss, pollMs: 50, retryDelaySeconds: 1 }),
    start: (changes = {}) => startWorker(program, { ...setup, ...changes }),
    lines,
    count: (kind) => {
      const counts = new Map<string, number>();
      for (const [, run = ''] of lines(kind)) counts.set(run, (counts.get(run) ?? 0) + 1);
      return counts;
    },
  };
}

async function startWorker(program: string, setup: WorkedProcess): Promise<StartedWorker> {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(setup)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await firstOutput(child);
  if (child.pid === undefined) throw new Error('The worker could not be started.');
  return { pid: child.pid, exited, signal: (signal) => void child.kill(signal) };
}
