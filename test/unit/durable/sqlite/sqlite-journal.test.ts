import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalError } from 'weakincentives';
import { type SqliteDatabase, type SqliteJournalOptions, sqliteJournal } from 'weakincentives/sqlite';
import { rowsOf, summaryOf } from '../../../contract/run-journal.ts';
import { noSqlite, openDatabase, openJournal, sqliteSuite } from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const isSkipped = noSqlite !== undefined;

/** What is in a database and its log. */
const bytesOf = (path: string): string =>
  [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join('');

const fileOfTest = (): string => join(tempFolder(), 'journal', 'runs.db');

describe('sqliteJournal', () => {
  it.each([
    ['neither a file nor a database', {}, 'pass either the option file or database'],
    ['both', { file: 'a.db', database: {} }, 'pass either the option file or database'],
    ['a file that is not a path', { file: 7 }, 'file must be a string'],
    ['a database that is only read', { database: {}, readOnly: true }, 'readOnly needs the option file'],
    [
      'an unknown synchronous',
      { file: 'a.db', synchronous: 'off' },
      "synchronous must be 'full' or 'normal'",
    ],
    [
      'no time for leases',
      { file: 'a.db', leaseTimeoutMs: 0 },
      'leaseTimeoutMs must be a number of at least 1; received 0',
    ],
    [
      'endless leases',
      { file: 'a.db', leaseTimeoutMs: Number.NaN },
      'leaseTimeoutMs must be a number of at least 1; received NaN',
    ],
  ])('refuses %s', (_, options, message) => {
    // What callers without types may pass.
    const open = (): unknown => sqliteJournal(options as unknown as SqliteJournalOptions);
    expect(open).toThrow(expect.objectContaining({ code: 'journal-invalid' }));
    expect(open).toThrow(message);
  });

  it.skipIf(!isSkipped)(
    'says what a file needs, before anything is made, where Node has no node:sqlite',
    () => {
      const file = fileOfTest();
      expect(() => sqliteJournal({ file })).toThrow(
        expect.objectContaining({
          code: 'peer-missing',
          message: expect.stringMatching(
            /Node 22\.13 .* better-sqlite3: version 12 .* On Node 20 version 13 ends the process/,
          ),
        }),
      );
      expect(() => statSync(dirname(file))).toThrow(/ENOENT/);
    },
  );
});

describe.skipIf(isSkipped)(sqliteSuite('the file of a journal'), () => {
  it('can be read by its owner only, and so can the folder that is made for it', async () => {
    const file = fileOfTest();
    const journal = openJournal({ file });
    await journal.acquire('s');
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that is no database makes every use fail with the reason, and the journal can still be disposed of', async () => {
    const file = join(
      tempFolder({ 'runs.db': 'no database, for more than one hundred bytes: '.repeat(4) }),
      'runs.db',
    );
    const journal = openJournal({ file });
    for (const use of [() => journal.runs(), () => journal.acquire('s')]) {
      const error: unknown = await use().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'journal-damaged', cause: { message: 'file is not a database' } });
      expect(JournalError.isInstance(error)).toBe(true);
    }
    await journal[Symbol.asyncDispose]();
    await expect(journal.runs()).rejects.toMatchObject({ code: 'journal-closed' });
  });

  it('that is a folder makes every use fail', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'runs.db'));
    const journal = openJournal({ file: join(folder, 'runs.db') });
    await expect(journal.runs()).rejects.toMatchObject({ code: 'journal-failed' });
  });

  it('in a place that cannot be made makes every use fail', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    const journal = openJournal({ file: join(folder, 'file', 'runs.db') });
    const error: unknown = await journal.runs().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'journal-failed', cause: { code: expect.stringMatching(/^E/) } });
    expect(String(error)).not.toContain(folder);
  });
});

describe.skipIf(isSkipped)(sqliteSuite('a journal that is only read'), () => {
  it('has its runs, refuses to write, and is left as it is, beside a writer and without one', async () => {
    const file = fileOfTest();
    const writer = openJournal({ file });
    const lease = await writer.acquire('s');
    await writer.append({ runId: 'r', rows: rowsOf(0, 2), summary: summaryOf() }, lease);
    const beside = openJournal({ file, readOnly: true });
    expect(await beside.runs()).toMatchObject([{ runId: 'r', rows: 2, status: 'running' }]);
    await writer.append({ runId: 'r', rows: rowsOf(2, 1), summary: summaryOf() }, lease);
    expect(await beside.read('r')).toEqual(rowsOf(0, 3));
    await beside[Symbol.asyncDispose]();
    await writer[Symbol.asyncDispose]();

    const before = readFileSync(file);
    const journal = openJournal({ file, readOnly: true });
    expect(await journal.runs()).toMatchObject([{ runId: 'r', rows: 3, status: 'interrupted' }]);
    for (const write of [
      () => journal.acquire('s'),
      () => journal.append({ runId: 'r', rows: rowsOf(3, 1), summary: summaryOf() }, lease),
      () => journal.revoke('s'),
      () => journal.remove('r'),
    ]) {
      await expect(write()).rejects.toMatchObject({
        code: 'journal-read-only',
      });
    }
    await journal[Symbol.asyncDispose]();
    expect(readFileSync(file)).toEqual(before);
    expect(await openJournal({ file }).read('r')).toEqual(rowsOf(0, 3));
  });

  it('is not made where there is none', async () => {
    const file = fileOfTest();
    await expect(openJournal({ file, readOnly: true }).runs()).rejects.toMatchObject({
      code: 'journal-failed',
    });
    expect(() => statSync(dirname(file))).toThrow(/ENOENT/);
  });
});

describe.skipIf(isSkipped).each([
  ['on a database of the caller', (file: string) => ({ database: openDatabase(file) })],
  ['in a thread', (file: string) => ({ file })],
])(sqliteSuite('a journal %s'), (name, form) => {
  const isThread = name === 'in a thread';

  it.each([1, 5])('of the format %i is refused, and left as it is', async (version) => {
    const path = join(tempFolder(), 'runs.db');
    await openJournal({ database: openDatabase(path) }).acquire('s');
    const database = openDatabase(path);
    database.exec(`update wink_journal set format = ${version}`);
    const refused = { code: 'journal-version-unsupported', details: { version } };
    if (isThread) await expect(openJournal(form(path)).runs()).rejects.toMatchObject(refused);
    else expect(() => openJournal(form(path))).toThrow(expect.objectContaining(refused));
    expect({ ...Object(database.prepare('select format from wink_journal').get()) }).toEqual({
      format: version,
    });
  });

  it('leaves the version of the user as it is, and tables of the caller', async () => {
    const path = join(tempFolder(), 'runs.db');
    const database = openDatabase(path);
    database.exec('pragma user_version = 17; create table mine (x); insert into mine values (1)');
    await openJournal(form(path)).acquire('s');
    expect({ ...Object(database.prepare('pragma user_version').get()) }).toEqual({ user_version: 17 });
    expect(database.prepare('select x from mine').all()).toHaveLength(1);
  });

  it('leaves nothing of a removed run in its files', async () => {
    const path = join(tempFolder(), 'runs.db');
    const journal = openJournal(form(path));
    const lease = await journal.acquire('s');
    // Rows within a page, and rows on pages of their own.
    const rows = [30, 300, 30_000].map((length, seq) => {
      const line = JSON.stringify(`secret ${'secret'.repeat(length / 6)}`);
      return { seq, type: 'note', line };
    });
    await journal.append({ runId: 'r', rows, summary: summaryOf({ info: { told: 'secret' } }) }, lease);
    await journal.append({ runId: 'kept', rows: rowsOf(0, 3), summary: summaryOf() }, lease);
    expect(bytesOf(path).includes('secret')).toBe(true);
    // A reader does not keep the run from being removed, only from leaving the log.
    const reader = openDatabase(path);
    reader.exec('begin');
    reader.prepare('select * from wink_rows').all();
    await journal.remove('r', lease);
    expect(await journal.read('r')).toEqual([]);
    reader.exec('commit');
    await journal.append({ runId: 'another', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    await journal.remove('another', lease);
    expect(bytesOf(path).includes('secret')).toBe(false);
    expect(await journal.read('kept')).toEqual(rowsOf(0, 3));
  });

  it('rejects what the database refuses, writes nothing of it, and continues when the reason is gone', async () => {
    const path = join(tempFolder(), 'runs.db');
    const other = openDatabase(path);
    const journal = openJournal(form(path));
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    other.exec(`create trigger full before insert on wink_rows when new.line like '%refused%'
      begin select raise(abort, 'database or disk is full'); end`);
    const big = [...rowsOf(1, 2), { seq: 3, type: 'note', line: '"refused"' }];
    const [refused, kept] = await Promise.allSettled([
      journal.append({ runId: 'r', rows: big, summary: summaryOf({ turns: 7 }) }, lease),
      journal.append({ runId: 'other', rows: rowsOf(0, 1), summary: summaryOf() }, lease),
    ]);
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'journal-failed',
        cause: { code: 'ERR_SQLITE_ERROR', message: 'database or disk is full' },
      },
    });
    expect(kept.status).toBe('fulfilled');
    expect(lease.signal.aborted).toBe(false);
    expect(await journal.read('r')).toEqual(rowsOf(0, 1));
    expect(await journal.runs()).toMatchObject([{ turns: 1 }, { runId: 'other' }]);
    other.exec('drop trigger full');
    await journal.append({ runId: 'r', rows: big, summary: summaryOf() }, lease);
    expect(await journal.read('r', 1)).toEqual(big);
  });
});

describe.skipIf(isSkipped)(sqliteSuite('a journal on a full database'), () => {
  it('rejects appends until there is room again', async () => {
    const database = openDatabase(join(tempFolder(), 'runs.db'));
    const journal = openJournal({ database });
    const lease = await journal.acquire('s');
    await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
    database.exec('pragma max_page_count = 1');
    const rows = [{ seq: 1, type: 'note', line: JSON.stringify('x'.repeat(100_000)) }];
    await expect(journal.append({ runId: 'r', rows, summary: summaryOf() }, lease)).rejects.toMatchObject({
      code: 'journal-failed',
      cause: { errcode: 13 },
    });
    expect(await journal.read('r')).toEqual(rowsOf(0, 1));
    database.exec('pragma max_page_count = 100000');
    await journal.append({ runId: 'r', rows, summary: summaryOf() }, lease);
    expect(await journal.read('r', 1)).toEqual(rows);
  });
});

/** A database whose driver says that it has another version of SQLite. */
function ofVersion(version: string, database: SqliteDatabase): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql.replace('sqlite_version()', `'${version}'`)),
  };
}

/** Keeps what the library warns of meanwhile: the module of SQLite may have a warning of its own. */
async function warnedOf<T>(warnings: string[], act: () => T | Promise<T>): Promise<T> {
  const keep = (warning: Error): void => {
    if ('code' in warning && warning.code === 'WINK_SQLITE_EXCLUSIVE') warnings.push(warning.message);
  };
  process.on('warning', keep);
  const result = await act();
  // Warnings are emitted with the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', keep);
  return result;
}

describe.skipIf(isSkipped)(sqliteSuite('a version of SQLite'), () => {
  it.each(['3.51.2', '3.45.1', '3.7.17', '2.8'])(
    '%s has the database for itself, which is said once',
    async (version) => {
      const path = join(tempFolder(), 'runs.db');
      const warnings: string[] = [];
      const journal = await warnedOf(warnings, () =>
        openJournal({ database: ofVersion(version, openDatabase(path)) }),
      );
      const lease = await journal.acquire('s');
      await journal.append({ runId: 'r', rows: rowsOf(0, 1), summary: summaryOf() }, lease);
      expect(warnings).toEqual([expect.stringContaining(version)]);
      const other = openDatabase(path);
      expect(() => other.prepare('select * from wink_rows').all()).toThrow(/locked/);
    },
  );

  it.each(['3.51.3', '3.52.0', '4.0.0'])('%s shares it', async (version) => {
    const path = join(tempFolder(), 'runs.db');
    const warnings: string[] = [];
    const database = ofVersion(version, openDatabase(path));
    await warnedOf(warnings, () => openJournal({ database }).acquire('s'));
    expect(warnings).toEqual([]);
    expect(openDatabase(path).prepare('select * from wink_leases').all()).toHaveLength(1);
  });
});
