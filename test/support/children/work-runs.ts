import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runWorker } from '../../../src/agent/worker/index.ts';
import { postgresJournal } from '../../../src/durable/postgres/index.ts';
import { pgBossQueue } from '../../../src/durable/queue/index.ts';
import {
  defineAgent,
  jsonSchema,
  PolicyDecision,
  promptTemplate,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from '../../../src/entries/index.ts';
import { scriptedAdapter } from '../../../src/entries/testing.ts';
import type { WorkedProcess } from '../../engines/support/workers.ts';

// Started as a process of its own: a worker on PostgreSQL that is drained by SIGTERM. What really happens is appended to a file, one line each.
const setup = JSON.parse(process.argv[2] ?? '') as WorkedProcess;
const log = (...words: readonly unknown[]): void =>
  appendFileSync(setup.log, `${words.join(' ')} ${process.pid}\n`);

const input = { type: 'object', properties: { run: { type: 'string' } }, required: ['run'] } as const;
const send = tool({
  name: 'send',
  description: 'Sends a mail.',
  effects: 'external',
  inputSchema: jsonSchema<{ readonly run: string }>(input),
  execute: async ({ run }) => {
    log('send', run);
    return ToolResult.ok(null, 'sent');
  },
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'engines',
    key: 'sender',
    policies: setup.asks ? [{ name: 'ask', check: () => PolicyDecision.ask('Sure?') }] : [],
    sections: [section({ title: 'Task', key: 'task', template: 'Send.', tools: [send] })],
  }),
});

// Both packages are installed for the tests of engines alone.
const { default: pg } = await import(setup.modules.pg);
const { PgBoss } = await import(setup.modules.boss);
const connection = { connectionString: setup.url, max: 5 };
const pool = new pg.Pool(connection);
pool.on('error', () => log('error', 'pool'));
const journal = postgresJournal({ pool, schema: setup.schema, leaseTimeoutMs: setup.leaseTimeoutMs });
const boss = new PgBoss({
  ...connection,
  schema: setup.bossSchema,
  superviseIntervalSeconds: 1,
  monitorIntervalSeconds: 1,
});
await boss.start();
const worker = await runWorker({
  journal,
  queue: pgBossQueue({ boss, pollMs: 50, retryDelaySeconds: 1 }),
  concurrency: setup.concurrency,
  drainMs: setup.drainMs,
  sweepMs: setup.sweepMs,
  strict: true,
  agents: {
    sender: {
      agent,
      version: setup.version,
      options: async ({ runId }) => {
        log('begin', runId);
        await sleep(setup.openMs);
        const adapter = scriptedAdapter(async (_, { turn }, { signal }) => {
          log('model', runId, turn);
          await sleep(setup.modelMs, undefined, { signal });
          return turn === 1
            ? { toolCalls: [{ name: 'send', arguments: { run: runId } }] }
            : { text: `done ${runId}` };
        });
        return { adapter, approve: suspendApproval() };
      },
    },
  },
  onRun: (run, { runId }) => log('end', runId, run.finishReason),
  onError: (error, job) => log('error', job?.runId, Object(error).name),
});
const end = async (): Promise<void> => {
  await worker[Symbol.asyncDispose]();
  log('drained');
  await boss.stop({ graceful: false });
  await journal[Symbol.asyncDispose]();
  await pool.end();
};
process.on('SIGTERM', () => void end());
process.stdout.write('ready\n');
