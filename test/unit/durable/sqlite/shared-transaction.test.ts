import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalFencedError, type RunInbox, type RunLease, TransactionClosedError } from 'weakincentives';
import { type SqliteDatabase, sqliteJournal, sqliteResource } from 'weakincentives/sqlite';
import { rowsOf, summaryOf } from '../../../contract/run-journal.ts';
import {
  drivers,
  noSqlite,
  type OpenDatabase,
  openDatabase,
  openJournal,
  sqliteSuite,
} from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const add = (database: SqliteDatabase, text: string): unknown =>
  database.prepare('insert into notes values (?)').run(text);

async function openSharedBy(open: OpenDatabase) {
  const path = join(tempFolder(), 'runs.db');
  const database = open(path);
  database.exec('create table notes (text text)');
  const journal = openJournal({ database });
  const { transactional, instance } = sqliteResource({ database });
  const begin = async (within = instance) => {
    const transaction = await transactional.begin(within, { readOnly: false });
    /** Commits with a row of the run "r". */
    const commitWith = ({ owner }: RunLease, seq: number, runId = 'r'): void =>
      transaction['~commitWith']?.({ runId, owner, seq });
    return { ...transaction, commitWith };
  };
  const append = (lease: RunLease, from: number, runId = 'r'): Promise<RunInbox> =>
    journal.append({ runId, rows: rowsOf(from, 1), summary: summaryOf() }, lease);
  // What another process would see: only what is durable.
  const other = openDatabase(path);
  const seen = (): { notes: number; rows: number } =>
    // The row has the columns of the statement.
    other
      .prepare('select (select count(*) from notes) as notes, (select count(*) from wink_rows) as rows')
      .get() as { notes: number; rows: number };
  return { database, journal, lease: await journal.acquire('s'), transactional, begin, append, seen };
}

const title = sqliteSuite('a journal and a resource on one database object of %s');

describe.skipIf(noSqlite !== undefined).each(drivers)(title, (_, open) => {
  const openShared = () => openSharedBy(open);

  it('are seen to share it', async () => {
    const { database, journal, transactional } = await openShared();
    expect(journal['~database']).toBe(database);
    expect(transactional['~sharesTransactionWith']).toBe(database);
    await using other = sqliteJournal({ database: openDatabase() });
    expect(other['~database']).not.toBe(database);
  });

  it('commit what a call wrote together with its row', async () => {
    const { lease, begin, append, seen } = await openShared();
    const { view, commitWith } = await begin();
    add(view, 'a');
    commitWith(lease, 1);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    await append(lease, 0);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    await append(lease, 1);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 2 });
  });

  it('do not commit a call with rows of another run, whatever number they have', async () => {
    const { journal, lease, begin, append, seen } = await openShared();
    const other = await journal.acquire('another');
    const { view, commitWith } = await begin();
    add(view, 'a');
    commitWith(lease, 0);
    await append(other, 0, 'another');
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    await append(lease, 0);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 2 });
  });

  it('roll a call back when its own lease ends, whoever else holds one', async () => {
    const { database, journal, lease, begin, append, seen } = await openShared();
    const other = await journal.acquire('another');
    const { view, commitWith } = await begin();
    add(view, 'a');
    commitWith(lease, 0);
    await append(other, 0, 'another');
    await journal.revoke('s');
    expect({ ...seen() }).toEqual({ notes: 0, rows: 1 });
    await expect(append(lease, 0)).rejects.toSatisfy(JournalFencedError.isInstance);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 1 });
    expect(database.prepare('select text from notes').all()).toEqual([]);
    expect(await journal.read('another')).toEqual(rowsOf(0, 1));
    expect(await journal.read('r')).toEqual([]);
  });

  it('refuse the commit of a call whose lease ended before it, and roll it back', async () => {
    const { journal, lease, begin, append, seen } = await openShared();
    const other = await journal.acquire('another');
    const { view, commitWith, rollback } = await begin();
    add(view, 'a');
    await journal.revoke('s');
    expect(() => commitWith(lease, 0)).toThrow(TransactionClosedError);
    await rollback();
    await append(other, 0, 'another');
    expect({ ...seen() }).toEqual({ notes: 0, rows: 1 });
  });

  it('write other rows of that time when the call has ended, also when it is rolled back', async () => {
    const { journal, lease, begin, append, seen } = await openShared();
    const first = await begin();
    add(first.view, 'a');
    await append(lease, 0);
    await append(lease, 1);
    // A row that does not fit is refused at once.
    await expect(append(lease, 5)).rejects.toSatisfy(JournalFencedError.isInstance);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    expect(await journal.read('r')).toEqual(rowsOf(0, 2));
    await first.rollback();
    expect({ ...seen() }).toEqual({ notes: 0, rows: 2 });
    const second = await begin();
    await append(lease, 2);
    add(second.view, 'b');
    second.commitWith(lease, 4);
    await append(lease, 3);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 2 });
    await append(lease, 4);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 5 });
  });

  it('keep rows of a call within a call that is rolled back', async () => {
    const { journal, lease, begin, append, seen } = await openShared();
    const outer = await begin();
    add(outer.view, 'outer');
    await append(lease, 0);
    const inner = await begin(outer.view);
    add(inner.view, 'inner');
    await append(lease, 1);
    await inner.rollback();
    await append(lease, 2);
    expect(await journal.read('r')).toEqual(rowsOf(0, 3));
    outer.commitWith(lease, 3);
    await append(lease, 3);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 4 });
  });

  it('keep rows when SQLite has rolled the transaction of a call back', async () => {
    const { lease, begin, append, seen } = await openShared();
    const { view, rollback } = await begin();
    view.exec('create unique index one on notes (text)');
    add(view, 'a');
    await append(lease, 0);
    expect(() => view.exec("insert or rollback into notes values ('a')")).toThrow(/UNIQUE/);
    await rollback();
    expect({ ...seen() }).toEqual({ notes: 0, rows: 1 });
    await append(lease, 1);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 2 });
  });

  it('roll a call back when its row is refused', async () => {
    const { lease, begin, append, seen } = await openShared();
    const { view, commitWith } = await begin();
    add(view, 'a');
    await append(lease, 0);
    commitWith(lease, 7);
    await expect(append(lease, 7)).rejects.toSatisfy(JournalFencedError.isInstance);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 1 });
    // The connection can be used again.
    const next = await begin();
    add(next.view, 'b');
    next.commitWith(lease, 1);
    await append(lease, 1);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 2 });
  });

  it.each(['commit', 'savepoint wink_write'])(
    'refuse a row without its call when `%s` has failed, however often it is tried',
    async (statement) => {
      let failures = 0;
      const failing: OpenDatabase = (path) => {
        const database = open(path);
        const exec = (sql: string): unknown => {
          if (sql === statement && failures > 0) {
            failures -= 1;
            throw new Error('disk I/O error');
          }
          return database.exec(sql);
        };
        return { exec, prepare: (sql) => database.prepare(sql), close: () => database.close() };
      };
      const { journal, lease, begin, append, seen } = await openSharedBy(failing);
      const { view, commitWith } = await begin();
      add(view, 'a');
      commitWith(lease, 0);
      failures = 1;
      await expect(append(lease, 0)).rejects.toMatchObject({ code: 'journal-failed' });
      await expect(append(lease, 0)).rejects.toSatisfy(JournalFencedError.isInstance);
      await expect(append(lease, 0)).rejects.toThrow(/row 0 of the run "r" has failed/);
      expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
      // Another run continues, and so does the next owner.
      await append(await journal.acquire('another'), 0, 'another');
      await lease.release();
      await append(await journal.acquire('s'), 0);
      expect({ ...seen() }).toEqual({ notes: 0, rows: 2 });
    },
  );

  it('roll a call back whose row was never written, when the lease ends', async () => {
    const { lease, begin, append, seen, journal } = await openShared();
    const { view, commitWith } = await begin();
    add(view, 'a');
    commitWith(lease, 0);
    const waiting = begin();
    await lease.release();
    const next = await waiting;
    await next.rollback();
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    await expect(append(lease, 0)).rejects.toSatisfy(JournalFencedError.isInstance);
    await journal.acquire('s');
  });

  it('commit a call within a call with the row of the outer one', async () => {
    const { lease, begin, append, seen } = await openShared();
    const outer = await begin();
    const inner = await begin(outer.view);
    add(inner.view, 'inner');
    inner.commitWith(lease, 0);
    await append(lease, 0);
    expect({ ...seen() }).toEqual({ notes: 0, rows: 0 });
    outer.commitWith(lease, 1);
    await append(lease, 1);
    expect({ ...seen() }).toEqual({ notes: 1, rows: 2 });
  });

  it('commit a call at once that no row decides about, whoever holds a lease', async () => {
    const { begin, seen } = await openShared();
    const { view, commit } = await begin();
    add(view, 'a');
    await commit();
    expect({ ...seen() }).toEqual({ notes: 1, rows: 0 });
  });
});
