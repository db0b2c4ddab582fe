import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { type LeasedRunJournal, leasedJournal } from 'weakincentives/durable';
import type { SqliteDatabase } from 'weakincentives/sqlite';
import { localBackend } from '../../../../src/durable/sqlite/store/local-backend.ts';
import { openStore } from '../../../../src/durable/sqlite/store/open-store.ts';
import { type JournalSchema, journalSchema } from '../../../../src/durable/sqlite/store/schema.ts';
import { presentProcess } from '../../../../src/host/lock/index.ts';
import { rowsOf, summaryOf } from '../../../contract/run-journal.ts';
import {
  drivers,
  noSqlite,
  type OpenDatabase,
  openDatabase,
  openWasmSqlite,
  sqliteSuite,
} from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';
import { makeEarlier, schemaWithHistory } from './earlier-formats.ts';

const present = journalSchema.format;

function openWith(
  database: SqliteDatabase,
  options: { readonly isReadOnly?: boolean; readonly schema?: JournalSchema } = {},
): LeasedRunJournal {
  const { isReadOnly = false, schema = schemaWithHistory } = options;
  const opened = openStore(database, { synchronous: 'normal', isReadOnly }, schema);
  let names = 0;
  return leasedJournal({
    backend: localBackend(database, opened),
    readOnly: isReadOnly,
    leaseTimeoutMs: 1000,
    holder: JSON.stringify(presentProcess()),
    clock: { now: () => 1000, schedule: () => () => undefined },
    ids: () => `owner ${(names += 1)}`,
  });
}

/** What the tables are, and what is in them. */
function contentOf(database: SqliteDatabase): unknown {
  const tables = database
    .prepare("select name, sql from sqlite_master where type = 'table' order by name")
    .all() as { name: string; sql: string }[];
  return tables.map(({ name, sql }) => [sql, database.prepare(`select * from ${name}`).all()]);
}

const formatOf = (database: SqliteDatabase): unknown =>
  Object(database.prepare('select format from wink_journal').get()).format;

/** That a journal shows the runs of {@link makeEarlier}. */
async function expectRuns(journal: LeasedRunJournal): Promise<void> {
  expect(await journal.runs()).toMatchObject([
    { runId: 'b', sessionId: 'session of b', rows: 1, status: 'finished' },
    { runId: 'a', sessionId: 'session of a', rows: 3, status: 'finished' },
  ]);
  // A ledger that it did not have has nothing.
  expect([await journal.ledger?.onceKeys(), await journal.ledger?.budgets()]).toEqual([[], []]);
  expect(await journal.read('a', 1)).toEqual([
    { seq: 1, type: 'row-1', line: '{"type":"row-1","text":"a"}' },
    { seq: 2, type: 'row-2', line: '{"type":"row-2","text":"a"}' },
  ]);
  expect(await journal.read('b')).toHaveLength(1);
}

/** The database, with an error in the place of the statement that has this number, among those that change tables. */
function failingAt(database: SqliteDatabase, number: number, failed: () => void): SqliteDatabase {
  let statements = 0;
  return {
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => {
      if (!/^\s*(pragma|begin|commit|rollback)/.test(sql)) statements += 1;
      if (sql !== 'rollback' && statements === number) {
        failed();
        throw new Error('The process was killed.');
      }
      return database.exec(sql);
    },
  };
}

const allDrivers: readonly (readonly [string, OpenDatabase])[] = [
  ['SQLite as WebAssembly', openWasmSqlite],
  ...(noSqlite === undefined ? drivers : []),
];

describe.each(allDrivers)('a journal of an earlier format, with %s', (_, open) => {
  it.each([0, 1] as const)('%i is migrated when it is opened, and continues', async (format) => {
    const database = open();
    makeEarlier(database, format);
    database.exec('pragma user_version = 17; create table mine (x); insert into mine values (1)');
    const journal = openWith(database);
    await expectRuns(journal);
    expect(formatOf(database)).toBe(present);
    const lease = await journal.acquire('session of a');
    expect(lease.epoch).toBe(8);
    await journal.append({ runId: 'a', rows: rowsOf(3, 2), summary: summaryOf() }, lease);
    expect(await journal.read('a', 3)).toEqual(rowsOf(3, 2));
    await journal.remove('a', lease);
    expect(await journal.read('a')).toEqual([]);
    expect(await journal.read('b')).toHaveLength(1);
    // The tables are those of a new journal, and what is the caller's is as it was.
    const other = open();
    openStore(other, { synchronous: 'normal' });
    const tablesOf = (of: SqliteDatabase): unknown =>
      of
        .prepare(
          "select replace(replace(sql, ' ', ''), char(10), '') as sql from sqlite_master where name like 'wink_%' order by name",
        )
        .all();
    expect(tablesOf(database)).toEqual(tablesOf(other));
    expect(database.prepare('select x from mine').all()).toHaveLength(1);
    expect(Object(database.prepare('pragma user_version').get()).user_version).toBe(17);
  });

  it.each([0, 1] as const)('%i is read as it is when nothing is to be written', async (format) => {
    const path = join(tempFolder(), 'runs.db');
    const database = open(path);
    makeEarlier(database, format);
    const before = contentOf(database);
    await expectRuns(openWith(open(path), { isReadOnly: true }));
    expect(contentOf(database)).toEqual(before);
  });

  it('stays as it was when the migration ends at any statement', async () => {
    const path = join(tempFolder(), 'runs.db');
    const database = open(path);
    makeEarlier(database, 0);
    const before = contentOf(database);
    let failures = 0;
    for (let number = 1; failures === number - 1; number += 1) {
      const broken = failingAt(database, number, () => {
        failures += 1;
      });
      try {
        openWith(broken);
      } catch (error) {
        expect(error).toMatchObject({ message: 'The process was killed.' });
        expect(contentOf(database), `statement ${number}`).toEqual(before);
      }
    }
    // Three of the first migration, seven of the second, one each of the third and the fourth, and the format.
    expect(failures).toBe(13);
    await expectRuns(openWith(database));
  });

  it('is refused when it cannot be migrated, and left as it is', () => {
    const cases = [
      [
        2,
        1,
        `format 1, and this version of weakincentives knows formats 2 to ${present}. Use the version that made`,
      ],
      [
        1,
        -1,
        `format -1, and this version of weakincentives knows formats 0 to ${present}. Use the version that made`,
      ],
      [
        1,
        present + 1,
        `format ${present + 1}, and this version of weakincentives knows formats 0 to ${present}. A later version has written it: update`,
      ],
    ] as const;
    for (const [start, version, message] of cases) {
      const database = open();
      makeEarlier(database, 1);
      database.exec(`update wink_journal set format = ${version}`);
      const before = contentOf(database);
      const schema = start === 2 ? journalSchema : schemaWithHistory;
      for (const isReadOnly of [false, true]) {
        const refused = { code: 'journal-version-unsupported', details: { version } };
        expect(() => openWith(database, { schema, isReadOnly })).toThrow(expect.objectContaining(refused));
        expect(() => openWith(database, { schema, isReadOnly })).toThrow(message);
        expect(contentOf(database)).toEqual(before);
      }
    }
  });

  it('ends the use of it by whoever has opened it before', async () => {
    const path = join(tempFolder(), 'runs.db');
    const journal = openWith(open(path));
    const lease = await journal.acquire('s');
    const reader = openWith(open(path), { isReadOnly: true });
    const later = {
      ...journalSchema,
      format: present + 1,
      migrations: [{ from: present, upgrade: () => undefined, readAs: () => ({}) }],
    };
    expect(openStore(open(path), { synchronous: 'normal' }, later)).toMatchObject({ format: present + 1 });
    const refused = {
      code: 'journal-version-unsupported',
      message: `Another version of weakincentives has brought the journal from format ${present} to ${present + 1} since it was opened. Open it again, with that version.`,
    };
    for (const use of [
      () => journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease),
      () => journal.acquire('another'),
      () => journal.read('r'),
      () => journal.runs(),
      () => journal.revoke('s'),
      () => journal.remove('r'),
      () => reader.read('r'),
      () => reader.runs(),
    ]) {
      await expect(use()).rejects.toMatchObject(refused);
    }
    await lease.release();
  });

  it('that has no tables yet is empty when it is only read', async () => {
    const path = join(tempFolder(), 'runs.db');
    const database = open(path);
    const journal = openWith(database, { isReadOnly: true });
    expect(await journal.runs()).toEqual([]);
    expect(await journal.read('a')).toEqual([]);
    expect(database.prepare('select * from main.sqlite_master').all()).toEqual([]);
    for (const write of [() => journal.acquire('s'), () => journal.revoke('s'), () => journal.remove('a')]) {
      await expect(write()).rejects.toMatchObject({ code: 'journal-read-only' });
    }
  });
});

describe.skipIf(noSqlite !== undefined)(sqliteSuite('a migration'), () => {
  it('leaves the old tables in the files of a process that is killed in it, at any statement', async () => {
    const folder = tempFolder();
    const path = join(folder, 'runs.db');
    makeEarlier(openDatabase(path), 0);
    const database = openDatabase(path);
    const copies: string[] = [];
    const watched: SqliteDatabase = {
      prepare: (sql) => database.prepare(sql),
      exec: (sql) => {
        const copy = join(folder, `copy-${copies.length}.db`);
        for (const end of ['', '-wal']) {
          if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
        }
        copies.push(copy);
        // Changed pages reach the log before the end of the transaction, as those of a large one do.
        if (sql === 'begin immediate') database.exec('pragma cache_size = 1');
        return database.exec(sql);
      },
    };
    await expectRuns(openWith(watched));
    const formats = [];
    for (const copy of copies) {
      const left = openDatabase(copy);
      formats.push(formatOf(left));
      await expectRuns(openWith(left));
      expect(formatOf(left)).toBe(present);
    }
    // The last statement of all sets the time-out for locks back.
    expect(formats).toEqual([...copies.slice(1).map(() => 0), present]);
  });

  it('is done once by processes that open the journal at the same time', async () => {
    const path = join(tempFolder(), 'runs.db');
    const database = openDatabase(path);
    makeEarlier(database, 0);
    database.exec('create table migrations (one)');
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workers = Array.from(
      { length: 4 },
      () =>
        new Worker(new URL('./opening-worker.ts', import.meta.url), {
          workerData: { path, gate },
          execArgv: ['--disable-warning=ExperimentalWarning'],
        }),
    );
    const answers = await Promise.all(
      workers.map(
        (worker) =>
          new Promise((resolve, reject) => {
            worker.once('message', resolve);
            worker.once('error', reject);
          }),
      ),
    );
    expect(answers).toEqual(workers.map(() => ({ format: present })));
    expect(database.prepare('select * from migrations').all()).toHaveLength(1);
    await expectRuns(openWith(openDatabase(path)));
  });
});
