// Runs of a small agent that books three lines each in a table without any unique key, by a resource on the database of the journal. Goes on with what other processes have left, and ends with 0 when
// all runs have ended. Arguments: the address of the database, the schema, how many runs, how many at a time, and the statement at which it kills itself: `before 7`, `during 7`, or nothing.
import { writeSync } from 'node:fs';
import pg from 'pg';
import { binding, ensureRun, promptTemplate, resourceToken, section, ToolResult, tool } from 'weakincentives';
import { postgresJournal, postgresResource } from 'weakincentives/postgres';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** @import { PostgresConnection } from 'weakincentives/postgres' */

const [url = '', schema = '', count = '', atOnce = '', killAt = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 20 });

let statements = 0;
/** @param {string} point */
const pass = (point) => {
  if (point === killAt) process.kill(process.pid, 'SIGKILL');
};
const query = pg.Client.prototype.query;
pg.Client.prototype.query = /** @type {any} */ (
  /** @this {pg.Client} @param {any} config @param {any[]} rest */
  function (config, ...rest) {
    statements += 1;
    const number = statements;
    pass(`before ${number}`);
    const result = Reflect.apply(query, this, [config, ...rest]);
    // It is on its way then.
    setImmediate(() => pass(`during ${number}`));
    return result;
  }
);

const journal = postgresJournal({ pool, schema, leaseTimeoutMs: 600_000 });
const Orders = /** @type {ReturnType<typeof resourceToken<PostgresConnection>>} */ (resourceToken('orders'));
const book = tool({
  name: 'book',
  description: 'Books a line.',
  inputSchema: z.object({ order: z.string(), line: z.number() }),
  effects: 'state',
  execute: async ({ order, line }, { resources }) => {
    const orders = await resources.get(Orders);
    await orders.query(`insert into ${schema}.orders values ($1, $2)`, [order, line]);
    return ToolResult.ok(null, `Booked ${line}.`);
  },
});
const template = promptTemplate({
  ns: 'tests',
  key: 'book',
  resources: [binding(Orders, postgresResource({ pool, journal }))],
  sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book] })],
});

let next = 0;
const work = async () => {
  for (;;) {
    const order = `order-${next}`;
    if (next >= Number(count)) return;
    next += 1;
    const adapter = scriptedAdapter((_conversation, { turn }) =>
      turn <= 3 ? { toolCalls: [{ name: 'book', arguments: { order, line: turn } }] } : { text: 'done' },
    );
    await ensureRun({ adapter, prompt: template.bind(), journal, runId: order, input: 'Go.' });
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, work));
writeSync(1, `${statements}\n`);
await journal[Symbol.asyncDispose]();
await pool.end();
