// A worker: any number of them run on any number of machines. SIGTERM drains it.
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { pgBossQueue, runWorker } from 'weakincentives/durable';
import { postgresJournal } from 'weakincentives/postgres';
import { orderAgent, orderModel } from './agent.ts';

const connectionString = process.env['WINK_JOURNAL'] ?? '';
// Calls that are open hold a connection each, and the journal needs some besides.
const pool = new Pool({ connectionString, max: 20 });
const boss = new PgBoss({ connectionString, monitorIntervalSeconds: 5, superviseIntervalSeconds: 5 });
await boss.start();

const journal = postgresJournal({ pool });
const worker = await runWorker({
  journal,
  queue: pgBossQueue({ boss }),
  agents: {
    order: { agent: orderAgent(journal, pool), options: ({ runId }) => ({ adapter: orderModel(runId) }) },
  },
  concurrency: 10,
  onError: (error, job) => console.error(`${job?.runId ?? 'the queue'}: ${String(error)}`),
});
console.log('ready');

const end = async (): Promise<void> => {
  await worker[Symbol.asyncDispose]();
  await journal[Symbol.asyncDispose]();
  await boss.stop();
  await pool.end();
};
process.once('SIGTERM', () => void end());
