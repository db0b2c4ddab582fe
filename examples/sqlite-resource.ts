// Rows of a database that roll back with their call.
import assert from 'node:assert/strict';
import sqlite, { type Database as SqliteDatabase } from 'node-sqlite3-wasm';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  resourceToken,
  revocableView,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  type TransactionProtocol,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

// A database on one connection: a call's part of the transaction is a savepoint. Savepoints are put inside one another
// and not side by side, so this is a resource without `parallel`, and the calls run one by one.
const Database = resourceToken<SqliteDatabase>('database');
const savepoints: TransactionProtocol<SqliteDatabase> = {
  mayFail: true, // Deferred constraints are checked, and the disk is written, when the outermost savepoint is released.
  begin: (database, { readOnly }) => {
    database.exec('SAVEPOINT tool_call');
    if (readOnly) database.exec('PRAGMA query_only = ON');
    return {
      ...revocableView(database, 'the database'),
      commit: () => database.exec('RELEASE tool_call'),
      rollback: () => {
        if (readOnly) database.exec('PRAGMA query_only = OFF');
        database.exec('ROLLBACK TO tool_call');
        database.exec('RELEASE tool_call');
      },
    };
  },
};

function openShop(): SqliteDatabase {
  const database = new sqlite.Database();
  database.exec(`
    PRAGMA foreign_keys = ON;
    CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER NOT NULL CHECK (pieces >= 0));
    CREATE TABLE orders (item TEXT NOT NULL REFERENCES stock DEFERRABLE INITIALLY DEFERRED, pieces INTEGER NOT NULL);
    INSERT INTO stock VALUES ('pear', 10), ('plum', 5);
  `);
  return database;
}

const order = tool({
  name: 'order',
  description: 'Order some pieces of an item.',
  inputSchema: z.object({ item: z.string(), pieces: z.number().int().positive() }),
  effects: 'state',
  execute: async ({ item, pieces }, { filesystem, resources }) => {
    const database = await resources.get(Database);
    await filesystem.write('orders.txt', `${pieces} ${item}\n`, { mode: 'append' });
    database.run('INSERT INTO orders VALUES (?, ?)', [item, pieces]);
    database.run('UPDATE stock SET pieces = pieces - ? WHERE item = ?', [pieces, item]);
    return ToolResult.ok(null, `Ordered ${pieces} of ${item}.`);
  },
});

const countStock = tool({
  name: 'count_stock',
  description: 'Count the pieces of an item.',
  inputSchema: z.object({ item: z.string() }),
  effects: 'read',
  execute: async ({ item }, { resources }) => {
    const database = await resources.get(Database);
    return ToolResult.ok(database.get('SELECT pieces FROM stock WHERE item = ?', [item]));
  },
});

const template = promptTemplate({
  ns: 'examples',
  key: 'sqlite-resource',
  sections: [section({ title: 'Shop', key: 'shop', template: 'Take orders.', tools: [order, countStock] })],
});

const adapter = scriptedAdapter([
  {
    toolCalls: [
      { name: 'order', arguments: { item: 'pear', pieces: 3 } },
      { name: 'order', arguments: { item: 'plum', pieces: 6 } }, // More than there are: the handler throws.
      { name: 'order', arguments: { item: 'kiwi', pieces: 1 } }, // There are no kiwis in stock: the commit fails.
      { name: 'order', arguments: { item: 'plum', pieces: 2 } },
      { name: 'count_stock', arguments: { item: 'plum' } },
    ],
  },
  { text: 'Three pears and two plums are ordered.' },
]);

const database = openShop();
const files = new MemoryFilesystem({ files: { 'orders.txt': '' } });
const resources = [
  binding(Database, { create: () => database, transactional: savepoints }),
  binding(Filesystem, { instance: files }),
];
{
  await using session = new Session();
  await adapter.evaluate(template.bind({}, { resources }), { session });

  const calls = session.slice(ToolCallLog).all();
  for (const { toolName, outcome, modelText } of calls)
    console.log(`${toolName}: ${outcome}\n  ${modelText}`);
  assert.deepEqual(
    calls.map(({ outcome, reason }) => [outcome, reason]),
    [
      ['committed', undefined],
      ['rolled-back', 'threw'],
      ['rolled-back', 'commit-failed'],
      ['committed', undefined],
      ['committed', undefined],
    ],
  );

  // The rows of the two orders that failed are gone, and so are their lines in the file.
  const orders = database.all('SELECT item, pieces FROM orders');
  const stock = database.all('SELECT item, pieces FROM stock');
  assert.deepEqual(orders, [
    { item: 'pear', pieces: 3 },
    { item: 'plum', pieces: 2 },
  ]);
  assert.deepEqual(stock, [
    { item: 'pear', pieces: 7 },
    { item: 'plum', pieces: 3 },
  ]);
  assert.equal((await files.read('orders.txt')).text, '3 pear\n2 plum\n');
  assert.equal(database.inTransaction, false);
  console.log('\nOrders:', orders);
  console.log('Stock:', stock);
}
// What the factory made is closed with the session.
assert.equal(database.isOpen, false);
