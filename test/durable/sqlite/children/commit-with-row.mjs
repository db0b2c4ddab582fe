// Makes calls on a database that its journal shares, until it is killed, and prints the number of each call whose row is durable. Every third one is
// rolled back, after a row of another kind. Arguments: the file, the session.
import { sqliteJournal, sqliteResource } from 'weakincentives/sqlite';
import { print, summary } from './open-journal.mjs';

const [file = '', session = ''] = process.argv.slice(2);
// The types of Node 20 do not have the module.
const sqlite = /** @type {any} */ (process.getBuiltinModule('node:sqlite'));
const database = new sqlite.DatabaseSync(file);
database.exec('pragma busy_timeout = 600000; create table if not exists effects (seq integer primary key, text text)');
const journal = sqliteJournal({ database, leaseTimeoutMs: 60_000 });
const { transactional, instance } = sqliteResource({ database });
const lease = await journal.acquire(session);
const runId = `run-${session}`;
let seq = (await journal.read(runId)).length;

/** @param {string} type */
const append = async (type) => {
  await journal.append({ runId, rows: [{ seq, type, line: JSON.stringify({ seq }) }], summary }, lease);
  seq += 1;
};

for (let call = 0; ; call += 1) {
  const { view, rollback, '~commitWith': commitWith } = await transactional.begin(instance, { readOnly: false });
  await append('begin');
  view.prepare('insert into effects values (?, ?)').run(seq + 1, 'x'.repeat(3_000));
  if (call % 3 === 2) await rollback();
  else {
    commitWith?.({ runId, owner: lease.owner, seq: seq + 1 });
    // As that of another call.
    await append('commit of another');
    await append('commit');
    await print(seq - 1);
  }
}
