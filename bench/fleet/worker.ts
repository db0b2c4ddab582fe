/** A worker of `npm run bench -- fleet`. Arguments: the address of the database, how many runs at a time, the file that says what really ran. */
import { appendFileSync } from 'node:fs';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { defineAgent, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { pgBossQueue, runWorker } from 'weakincentives/durable';
import { postgresJournal } from 'weakincentives/postgres';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const [connectionString = '', concurrency = '', log = ''] = process.argv.slice(2);
const thinkMs = 20;

const note = tool({
  name: 'note',
  description: 'Notes a number.',
  inputSchema: z.object({ number: z.number() }),
  effects: 'state',
  execute: ({ number }) => ToolResult.ok(null, `Noted ${number}.`),
});
const send = tool({
  name: 'send',
  description: 'Sends a mail.',
  inputSchema: z.object({ to: z.string() }),
  execute: ({ to }) => {
    appendFileSync(log, `send ${to}\n`);
    return ToolResult.ok(null, 'Sent.');
  },
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'bench',
    key: 'fleet',
    sections: [section({ title: 'Task', key: 'task', template: 'Note and send.', tools: [note, send] })],
  }),
});

const pool = new Pool({ connectionString, max: 10 });
const boss = new PgBoss({ connectionString, monitorIntervalSeconds: 5, superviseIntervalSeconds: 5, max: 5 });
await boss.start();
const journal = postgresJournal({ pool, leaseTimeoutMs: 15_000 });
const worker = await runWorker({
  journal,
  queue: pgBossQueue({ boss, pollMs: 200 }),
  agents: {
    fleet: {
      agent,
      options: ({ runId }) => ({
        adapter: scriptedAdapter(async (_conversation, { turn }) => {
          appendFileSync(log, `ask ${runId} ${turn}\n`);
          await new Promise((resolve) => setTimeout(resolve, thinkMs));
          if (turn > 1) return { text: 'Done.' };
          return {
            toolCalls: [
              { name: 'note', arguments: { number: turn } },
              { name: 'send', arguments: { to: runId } },
            ],
          };
        }),
      }),
    },
  },
  concurrency: Number(concurrency),
  onError: () => undefined,
});
process.stdout.write('ready\n');
const end = async (): Promise<void> => {
  await worker[Symbol.asyncDispose]();
  await journal[Symbol.asyncDispose]();
  await boss.stop();
  await pool.end();
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${(user + system) / 1000}\n`);
};
process.once('SIGTERM', () => void end());
