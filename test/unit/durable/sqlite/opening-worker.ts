import { parentPort, workerData } from 'node:worker_threads';
import type { SqliteDatabase } from 'weakincentives/sqlite';
import { openStore } from '../../../../src/durable/sqlite/store/open-store.ts';
import { schemaWithHistory } from './earlier-formats.ts';

// Opens a journal once all others of its kind are there, and counts the migrations that it makes in a table of the database.

const { path, gate } = workerData as { readonly path: string; readonly gate: Int32Array<SharedArrayBuffer> };
const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
  readonly DatabaseSync: new (file: string) => SqliteDatabase & { close(): void };
};
const [first, ...others] = schemaWithHistory.migrations;
if (first === undefined) throw new Error('There is no migration.');
const counting = {
  ...first,
  upgrade: (database: SqliteDatabase) => {
    database.exec('insert into migrations values (1)');
    first.upgrade(database);
  },
};
const database = new DatabaseSync(path);
Atomics.add(gate, 0, 1);
while (Atomics.load(gate, 0) < 4);
const opened = openStore(
  database,
  { synchronous: 'normal' },
  { ...schemaWithHistory, migrations: [counting, ...others] },
);
database.close();
// oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
parentPort?.postMessage(opened);
