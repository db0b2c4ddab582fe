// Submits 200 runs, starts four workers, kills one in the middle, and ends with a table of what is in the database.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { pgBossQueue, submitRun } from 'weakincentives/durable';
import { migrate } from 'weakincentives/postgres';

const connectionString = process.env['WINK_JOURNAL'];
if (connectionString === undefined || connectionString === '') {
  console.log(
    'Set WINK_JOURNAL to a database, such as postgres://wink@127.0.0.1/wink: guides/several-machines.md.',
  );
  process.exit(0);
}
const runs = 200;

const pool = new Pool({ connectionString });
await migrate({ pool });
await pool.query(`
  drop schema if exists fleet cascade;
  create schema fleet;
  create table fleet.lines (name text, line int);
  create table fleet.mails (name text, key text)`);
const boss = new PgBoss({ connectionString });
await boss.start();
const queue = pgBossQueue({ boss });
const batch = new Date().toISOString();
const jobs = Array.from({ length: runs }, (_, at) => ({
  agent: 'order',
  runId: `${batch} ${at}`,
  input: 'Book it.',
}));
await Promise.all(jobs.map((job) => submitRun({ queue, job })));
console.log(`${runs} runs are submitted.`);

const program = fileURLToPath(new URL(import.meta.url.replace(/main(\.\w+)$/, 'worker$1')));
const startWorker = (): ChildProcess => {
  const worker = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] });
  // Without its workers it would wait for ever. One that is killed has no code.
  return worker.once('exit', (code) => {
    if (code !== null && code !== 0) process.exit(code);
  });
};
const workers = Array.from({ length: 4 }, startWorker);

const count = async (text: string, values: readonly unknown[] = []): Promise<number> =>
  Number((await pool.query(text, [...values])).rows[0]?.count);
const ended = (): Promise<number> =>
  count("select count(*) from wink.wink_runs where run_id like $1 and status = 'finished'", [`${batch} %`]);
const until = async (wanted: number): Promise<void> => {
  while ((await ended()) < wanted) await new Promise((resolve) => setTimeout(resolve, 100));
};

await until(runs * 0.3);
const [victim, ...others] = workers;
victim?.kill('SIGKILL');
console.log(`A worker was killed after ${await ended()} runs.`);
await until(runs);

// They end in order.
for (const worker of others) worker.kill('SIGTERM');
await Promise.all(others.filter(({ exitCode }) => exitCode === null).map((worker) => once(worker, 'exit')));
const inRuns = (what: string): Promise<number> =>
  count(
    `select count(*) from wink.wink_rows rows join wink.wink_runs runs on runs.id = rows.run where runs.run_id like $1 and ${what}`,
    [`${batch} %`],
  );
console.table({
  'runs that have ended': await ended(),
  'lines booked': await count('select count(*) from fleet.lines'),
  'lines booked twice': await count(
    'select count(*) from (select from fleet.lines group by name, line having count(*) > 1) twice',
  ),
  'mails sent': await count('select count(*) from fleet.mails'),
  'mails sent twice': await count(
    'select count(*) from (select from fleet.mails group by key having count(*) > 1) twice',
  ),
  'calls in doubt': await inRuns(`rows.type = 'attempt' and rows.line like '%"in-doubt"%'`),
  'runs resumed': await inRuns("rows.type = 'resumed'"),
});
await boss.stop();
await pool.end();
