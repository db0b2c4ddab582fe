import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { pgBossQueue, submitRun } from 'weakincentives/durable';
import { migrate } from 'weakincentives/postgres';

const usage = `WINK_JOURNAL=postgres://… npm run bench -- fleet [OPTIONS]

Runs of two turns, a call of the session and one outside, over workers in processes of their own, by pg-boss. It makes the schemas wink and pgboss anew.

  --runs N         how many (default: 10000)
  --workers N      processes (default: 4)
  --concurrency N  runs at a time in each (default: 25)
  --no-kill        no worker is killed; otherwise one is at 30 %
  --help           shows this`;

const options = {
  runs: { type: 'string', default: '10000' },
  workers: { type: 'string', default: '4' },
  concurrency: { type: 'string', default: '25' },
  'no-kill': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** @returns the exit code */
export async function runFleet(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  const connectionString = process.env['WINK_JOURNAL'];
  if (values.help || connectionString === undefined) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const [runs, workers] = [Number(values.runs), Number(values.workers)];
  const pool = new Pool({ connectionString, max: 4 });
  const folder = mkdtempSync(join(tmpdir(), 'wink-fleet-'));
  const log = join(folder, 'what-ran');
  try {
    const fleet = {
      connectionString,
      pool,
      log,
      runs,
      workers,
      concurrency: values.concurrency,
      isKilled: !values['no-kill'],
    };
    console.table(await measure(fleet));
    return 0;
  } finally {
    await pool.end();
    rmSync(folder, { recursive: true });
  }
}

interface Fleet {
  readonly connectionString: string;
  readonly pool: Pool;
  readonly log: string;
  readonly runs: number;
  readonly workers: number;
  readonly concurrency: string;
  readonly isKilled: boolean;
}

async function measure(fleet: Fleet): Promise<Record<string, number>> {
  const { connectionString, pool, log, runs, isKilled } = fleet;
  await pool.query('drop schema if exists wink cascade; drop schema if exists pgboss cascade');
  await migrate({ pool });
  const boss = new PgBoss({ connectionString });
  await boss.start();
  const queue = pgBossQueue({ boss });
  for (let from = 0; from < runs; from += 100) {
    const batch = Array.from({ length: Math.min(100, runs - from) }, (_, at) => `run-${from + at}`);
    await Promise.all(
      batch.map((runId) => submitRun({ queue, job: { agent: 'fleet', runId, input: 'Go.' } })),
    );
  }
  const before = await counters(pool);
  const started = performance.now();
  const children = Array.from({ length: fleet.workers }, () => startWorker(fleet));
  const one = async (text: string): Promise<number> => Number((await pool.query(text)).rows[0]?.value);
  const ended = (): Promise<number> =>
    one("select count(*) as value from wink.wink_runs where status = 'finished'");
  const until = async (wanted: number): Promise<void> => {
    while ((await ended()) < wanted) await new Promise((resolve) => setTimeout(resolve, 250));
  };
  const [victim, ...others] = children;
  let killedAt = 0;
  if (isKilled) {
    await until(runs * 0.3);
    victim?.child.kill('SIGKILL');
    killedAt = await ended();
  }
  await until(runs);
  const seconds = (performance.now() - started) / 1000;
  const after = await counters(pool);
  const cpuMs = await Promise.all((isKilled ? others : children).map((worker) => worker.end()));
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const result = {
    runs,
    'killed after': killedAt,
    'runs a second': runs / seconds,
    'ran twice: send': twice(lines.filter((line) => line.startsWith('send '))),
    'ran twice: model': twice(lines.filter((line) => line.startsWith('ask '))),
    'never sent': runs - new Set(lines.filter((line) => line.startsWith('send '))).size,
    'in doubt': await one(
      `select count(*) as value from wink.wink_rows where type = 'attempt' and line like '%"in-doubt"%'`,
    ),
    'runs with a gap in their rows': await one(
      'select count(*) as value from wink.wink_runs where row_count <> (select count(*) from wink.wink_rows where run = wink_runs.id)',
    ),
    'commits a run': (after.commits - before.commits) / runs,
    'kB of WAL a run': (after.wal - before.wal) / runs / 1000,
    'CPU of a worker a run, ms':
      (cpuMs.reduce((sum, ms) => sum + ms, 0) / runs) * (isKilled ? fleet.workers / (fleet.workers - 1) : 1),
  };
  await boss.stop();
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, Math.round(value * 10) / 10]),
  );
}

/** How often something ran that had run before. */
const twice = (lines: readonly string[]): number => lines.length - new Set(lines).size;

async function counters(pool: Pool): Promise<{ readonly commits: number; readonly wal: number }> {
  const { rows } = await pool.query(
    `select (select xact_commit from pg_stat_database where datname = current_database()) as commits, pg_current_wal_lsn() - '0/0' as wal`,
  );
  return { commits: Number(rows[0]?.commits), wal: Number(rows[0]?.wal) };
}

interface StartedWorker {
  readonly child: ChildProcess;
  /** Drains it. @returns the CPU time that it took, in milliseconds. */
  end(): Promise<number>;
}

function startWorker({ connectionString, concurrency, log }: Fleet): StartedWorker {
  const program = fileURLToPath(new URL('worker.js', import.meta.url));
  const child = spawn(process.execPath, [program, connectionString, concurrency, log], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => void (output += text));
  return {
    child,
    end: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
      return Number(output.trim().split('\n').at(-1));
    },
  };
}
