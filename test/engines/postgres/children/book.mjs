// Runs of a small agent that books three lines each in a table without any unique key, by a resource on the database of the journal. Continues with what other processes have left, and ends with 0 when
// all runs have ended. Arguments: the address of the database, the schema, how many runs, how many at a time, and where it kills itself: at a statement, `before 7` or `during 7`, during a line that it books, `booking 7`, or nowhere, nothing.
import pg from 'pg';
import { binding, ensureRun, promptTemplate, resourceToken, section, ToolResult, tool } from 'weakincentives';
import { postgresJournal, postgresResource } from 'weakincentives/postgres';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** @import { PostgresConnection } from 'weakincentives/postgres' */

const [url = '', schema = '', count = '', atOnce = '', killAt = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 20 });

let statements = 0;
let bookings = 0;
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
    const isBooking = (config.text ?? config).startsWith?.(`insert into ${schema}.orders`) === true;
    if (isBooking) bookings += 1;
    const booking = isBooking ? bookings : undefined;
    pass(`before ${number}`);
    const result = Reflect.apply(query, this, [config, ...rest]);
    // It is on its way then.
    setImmediate(() => {
      pass(`during ${number}`);
      pass(`booking ${booking}`);
    });
    return result;
  }
);

const journal = postgresJournal({ pool, schema, leaseTimeoutMs: 600_000 });
const Orders = /** @type {ReturnType<typeof resourceToken<PostgresConnection>>} */ (resourceToken('orders'));
/** @param {string} name @param {Parameters<typeof tool>[0]['execute']} execute */
const booking = (name, execute) =>
  tool({
    name,
    description: 'Books a line.',
    inputSchema: z.object({ order: z.string(), line: z.number() }),
    effects: 'state',
    execute: /** @type {any} */ (execute),
  });
/** @param {any} params @param {any} context */
const insert = async ({ order, line }, { resources }) => {
  const orders = await resources.get(Orders);
  await orders.query(`insert into ${schema}.orders values ($1, $2)`, [order, line]);
  return ToolResult.ok(null, `Booked ${line}.`);
};
const book = booking('book', insert);
const fail = booking('fail', async (params, context) => {
  await insert(params, context);
  throw new Error('This cannot be booked.');
});
const orders = binding(Orders, postgresResource({ pool, journal }));
// Another agent books the line, in the transaction of the call.
const delegate = booking('delegate', async (params, { adapter }) => {
  const task = section({ title: 'Task', key: 'task', template: `Delegated ${JSON.stringify(params)}.`, tools: [book, fail] });
  const inner = promptTemplate({ ns: 'tests', key: 'inner', resources: [orders], sections: [task] });
  return ToolResult.ok(null, (await adapter.evaluate(inner.bind())).text);
});
const template = promptTemplate({
  ns: 'tests',
  key: 'book',
  resources: [orders],
  sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book, fail, delegate] })],
});

/** @param {string} order */
const adapterFor = (order) =>
  scriptedAdapter((_conversation, { turn, instructions }) => {
    /** @param {string} name @param {number} line */
    const call = (name, line) => ({ name, arguments: { order, line } });
    if (instructions.includes('Delegated'))
      return turn === 1 ? { toolCalls: [call('fail', 2), call('book', 2)] } : { text: 'Delegated.' };
    const turns = [[call('book', 1)], [call('fail', 1), call('delegate', 2)], [call('book', 3)]];
    return { text: 'done', toolCalls: turns[turn - 1] ?? [] };
  });

let next = 0;
const work = async () => {
  for (;;) {
    const order = `order-${next}`;
    if (next >= Number(count)) return;
    next += 1;
    await ensureRun({ adapter: adapterFor(order), prompt: template.bind(), journal, runId: order, input: 'Go.' });
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, work));
await journal[Symbol.asyncDispose]();
await pool.end();
