// Rows of your database and the journal in one transaction: an order exists exactly when its call is committed.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  binding,
  defineAgent,
  promptTemplate,
  resourceToken,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type SqliteDatabase, sqliteJournal, sqliteResource } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { openDatabase } from './shared/node-sqlite.ts';

const Orders = resourceToken<SqliteDatabase>('orders');
const order = tool({
  name: 'order',
  description: 'Orders an item.',
  inputSchema: z.object({ item: z.string() }),
  // Rows roll back, so such a call is never in doubt after a crash.
  effects: 'state',
  execute: async ({ item }, { resources }) => {
    (await resources.get(Orders)).prepare('insert into orders values (?)').run(item);
    if (item === 'kiwi') return ToolResult.error('There are no kiwis.');
    return ToolResult.ok(null, `Ordered ${item}.`);
  },
});
const task = section({ title: 'Task', key: 'task', template: 'Order fruit.', tools: [order] });
const template = promptTemplate({ ns: 'examples', key: 'exactly-once', sections: [task] });
const items = ['pear', 'kiwi', 'plum', 'fig'];

/** @param killedInTurn the process is killed when the model is asked for this turn. */
async function run(file: string, killedInTurn = 0): Promise<string[]> {
  const database = openDatabase(file);
  database.exec('create table if not exists orders (item text)');
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    if (turn === killedInTurn) process.kill(process.pid, 'SIGKILL');
    const item = items[turn - 1];
    return item === undefined
      ? { text: 'Ordered.' }
      : { toolCalls: [{ name: 'order', arguments: { item } }] };
  });
  // On the same connection as the orders: their rows and those of the run are one transaction.
  const journal = sqliteJournal({ database });
  const resources = [binding(Orders, sqliteResource({ database }))];
  await runAgent(defineAgent({ template, adapter }), { journal, runId: 'fruit', resources });
  await journal[Symbol.asyncDispose]();
  const rows = database.prepare('select item from orders order by rowid').all();
  database.close();
  return rows.map((row) => z.object({ item: z.string() }).parse(row).item);
}

const [, , file, turn] = process.argv;
if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else if (file !== undefined) await run(file, Number(turn));
else {
  const folder = await mkdtemp(join(tmpdir(), 'exactly-once-'));
  const shop = join(folder, 'shop.db');
  try {
    // Killed after the first order, and once more after the third call.
    for (const killedInTurn of ['2', '4']) {
      const [, signal] = await once(fork(fileURLToPath(import.meta.url), [shop, killedInTurn]), 'exit');
      assert.equal(signal, 'SIGKILL');
    }
    assert.deepEqual(await run(shop), ['pear', 'plum', 'fig']);
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log('ok: killed twice, three orders once each, and none of the call that failed');
}
