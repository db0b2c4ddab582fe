// One run of a small agent with a call that books a line in the database of the journal and writes a file of its name in a folder, and waits for a line on its standard input in between. Waits until the session and the folder
// are free. Prints `working` within the call, then how the run ended: `finished`, or the code of its error. Arguments: the address of the database, the schema, how long leases last, the folder, the folder for its
// state, and the name that it writes.
import { once } from 'node:events';
import pg from 'pg';
import {
  binding,
  ensureRun,
  Filesystem,
  promptTemplate,
  resourceToken,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { postgresJournal, postgresResource } from 'weakincentives/postgres';
import { scriptedAdapter } from 'weakincentives/testing';

/** @import { PostgresConnection } from 'weakincentives/postgres' */

const [url = '', schema = '', timeoutMs = '', root = '', stateDirectory = '', name = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 4 });
const journal = postgresJournal({ pool, schema, leaseTimeoutMs: Number(timeoutMs) });
const Orders = /** @type {ReturnType<typeof resourceToken<PostgresConnection>>} */ (resourceToken('orders'));

const book = tool({
  name: 'book',
  description: 'Books a line.',
  effects: 'state',
  execute: async (_params, { filesystem, resources }) => {
    const orders = await resources.get(Orders);
    await orders.query(`insert into ${schema}.orders values ($1)`, [name]);
    await filesystem.write(`${name}.md`, name);
    console.log('working');
    await once(process.stdin, 'data');
    return ToolResult.ok(null, `Booked by ${name}.`);
  },
});

/** @template T @param {() => Promise<T>} take @returns {Promise<T>} */
const whenFree = async (take) => {
  for (;;) {
    try {
      return await take();
    } catch (error) {
      const { code } = /** @type {{ code: string }} */ (error);
      if (code !== 'filesystem-locked' && code !== 'session-busy') throw error;
    }
  }
};

const filesystem = await whenFree(() => openHostFilesystem({ root, stateDirectory, journal }));
const prompt = promptTemplate({
  ns: 'tests',
  key: 'book-and-write',
  resources: [binding(Filesystem, { instance: filesystem }), binding(Orders, postgresResource({ pool, journal }))],
  sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book] })],
}).bind();
const adapter = scriptedAdapter((_conversation, { turn }) =>
  turn === 1 ? { toolCalls: [{ name: 'book' }] } : { text: 'done' },
);
try {
  await whenFree(() => ensureRun({ adapter, prompt, journal, runId: 'r', input: 'Go.' }));
  console.log('finished');
} catch (error) {
  console.log(/** @type {{ code: string }} */ (error).code);
}
await filesystem[Symbol.asyncDispose]();
await journal[Symbol.asyncDispose]();
await pool.end();
process.stdin.destroy();
