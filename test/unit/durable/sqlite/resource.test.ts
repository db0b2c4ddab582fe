import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binding, type ResourceTransaction, resourceToken, TransactionClosedError } from 'weakincentives';
import { type SqliteDatabase, type SqliteResource, sqliteResource } from 'weakincentives/sqlite';
import { drivers, noSqlite, openDatabase, sqliteSuite } from '../../../support/sqlite.ts';
import { tempFolder } from '../../host/temp-folder.ts';

const isSkipped = noSqlite !== undefined;

function openNotes(path?: string, open = openDatabase): SqliteDatabase {
  const database = open(path);
  database.exec('pragma journal_mode = wal');
  database.exec('create table notes (text text primary key)');
  return database;
}

const textsOf = (database: SqliteDatabase): unknown[] =>
  // The rows have the column of the statement.
  (database.prepare('select text from notes order by text').all() as { text: string }[]).map(
    ({ text }) => text,
  );

const add = (database: SqliteDatabase, text: string): unknown =>
  database.prepare('insert into notes values (?)').run(text);

async function begin(
  { instance, transactional }: SqliteResource,
  { readOnly = false, within = instance }: { readOnly?: boolean; within?: SqliteDatabase } = {},
): Promise<ResourceTransaction<SqliteDatabase>> {
  return transactional.begin(within, { readOnly });
}

describe.skipIf(isSkipped)(sqliteSuite('a call on a database that calls share'), () => {
  it('keeps what it wrote when it is committed, and nothing when it is rolled back', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const kept = await begin(resource);
    add(kept.view, 'a');
    kept.view.exec("insert into notes values ('b'), ('c')");
    expect(textsOf(kept.view)).toEqual(['a', 'b', 'c']);
    await kept.commit();
    const dropped = await begin(resource);
    dropped.view.exec("delete from notes; create table more (x); insert into notes values ('d')");
    await dropped.rollback();
    expect(textsOf(database)).toEqual(['a', 'b', 'c']);
    expect(database.prepare("select 1 from sqlite_master where name = 'more'").get()).toBeUndefined();
  });

  it('waits for the call before, and does not see what that one has not committed', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const first = await begin(resource);
    add(first.view, 'a');
    const order: string[] = [];
    const second = begin(resource, { readOnly: true }).then((transaction) => {
      order.push('second');
      return transaction;
    });
    const third = begin(resource).then((transaction) => {
      order.push('third');
      return transaction;
    });
    await first.rollback();
    expect(textsOf((await second).view)).toEqual([]);
    expect(order).toEqual(['second']);
    await (await second).rollback();
    add((await third).view, 'b');
    await (await third).commit();
    expect(textsOf(database)).toEqual(['b']);
  });

  it('cannot write when it only reads, and others can afterwards', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const reading = await begin(resource, { readOnly: true });
    expect(textsOf(reading.view)).toEqual([]);
    expect(() => add(reading.view, 'a')).toThrow(/readonly/);
    expect(() => reading.view.exec('drop table notes')).toThrow(/readonly/);
    await reading.rollback();
    add(database, 'b');
    expect(textsOf(database)).toEqual(['b']);
  });

  it('is closed when its part has ended, with the statements that it prepared', async () => {
    const resource = sqliteResource({ database: openNotes() });
    const { view, revoke, rollback } = await begin(resource);
    const statement = view.prepare('insert into notes values (?)');
    revoke?.();
    for (const use of [
      () => view.exec('select 1'),
      () => view.prepare('select 1'),
      () => statement.run('a'),
    ]) {
      expect(use).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    }
    await rollback();
  });

  it('cannot end its transaction', async () => {
    const database = openNotes();
    const { view, commit, rollback } = await begin(sqliteResource({ database }));
    add(view, 'a');
    expect(() => view.exec('commit')).toThrow(
      expect.objectContaining({ code: 'resource-statement-refused' }),
    );
    expect(() => view.prepare('rollback')).toThrow(
      expect.objectContaining({ code: 'resource-statement-refused' }),
    );
    // Who has the database itself can: the commit notices.
    database.exec('commit');
    expect(() => commit()).toThrow(/no such savepoint/);
    await rollback();
  });

  it('writes nothing more when SQLite has rolled its transaction back', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const { view, commit, rollback } = await begin(resource);
    add(view, 'a');
    expect(() => view.exec("insert or rollback into notes values ('a')")).toThrow(/UNIQUE/);
    expect(() => add(view, 'b')).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    expect(() => commit()).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    await rollback();
    expect(textsOf(database)).toEqual([]);
    const next = await begin(resource);
    add(next.view, 'c');
    await next.commit();
    expect(textsOf(database)).toEqual(['c']);
  });

  it('cannot begin while another connection writes, and lets those that wait try', async () => {
    const path = join(tempFolder(), 'notes.db');
    const database = openNotes(path);
    const resource = sqliteResource({ database });
    const first = await begin(resource);
    const waiting = [begin(resource), begin(resource), begin(resource, { readOnly: true })];
    await first.rollback();
    const other = openDatabase(path);
    other.exec('begin immediate');
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('that SQLite has rolled back takes the calls around it with it', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const outer = await begin(resource);
    add(outer.view, 'a');
    const inner = await begin(resource, { within: outer.view });
    expect(() => inner.view.exec("insert or rollback into notes values ('a')")).toThrow(/UNIQUE/);
    await inner.rollback();
    expect(() => add(outer.view, 'b')).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    expect(() => outer.commit()).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    await outer.rollback();
    expect(textsOf(database)).toEqual([]);
  });

  it('holds the calls of an evaluation within it: theirs are kept or dropped with it', async () => {
    const database = openNotes();
    const resource = sqliteResource({ database });
    const outer = await begin(resource);
    add(outer.view, 'outer');
    const kept = await begin(resource, { within: outer.view });
    add(kept.view, 'kept');
    await kept.commit();
    const dropped = await begin(resource, { within: outer.view });
    add(dropped.view, 'dropped');
    await dropped.rollback();
    const reading = await begin(resource, { within: outer.view, readOnly: true });
    expect(textsOf(reading.view)).toEqual(['kept', 'outer']);
    expect(() => add(reading.view, 'x')).toThrow(/readonly/);
    await reading.rollback();
    add(outer.view, 'after');
    await outer.commit();
    expect(textsOf(database)).toEqual(['after', 'kept', 'outer']);
    const second = await begin(resource);
    const inner = await begin(resource, { within: second.view });
    add(inner.view, 'lost');
    await inner.commit();
    await second.rollback();
    expect(textsOf(database)).toEqual(['after', 'kept', 'outer']);
  });

  it('is bound as an instance with a protocol', () => {
    const database = openNotes();
    const Notes = resourceToken<SqliteDatabase>('notes');
    const bound = binding(Notes, sqliteResource({ database }));
    expect(bound).toMatchObject({ transactional: true, protocol: { mayFail: true } });
    // What callers without types may pass.
    expect(() => sqliteResource({} as { database: SqliteDatabase })).toThrow(
      expect.objectContaining({ code: 'resource-binding-invalid' }),
    );
  });
});

const title = sqliteSuite('calls on connections of their own, by %s,');

describe.skipIf(isSkipped).each(drivers)(title, (_, open) => {
  function openParallel(): { readonly resource: SqliteResource; readonly database: SqliteDatabase } {
    const path = join(tempFolder(), 'notes.db');
    const database = openNotes(path, open);
    return { database, resource: sqliteResource({ database, open: () => open(path) }) };
  }

  it('run at the same time, each with the database as it was when it began', async () => {
    const { resource, database } = openParallel();
    const [reading, writing] = [await begin(resource, { readOnly: true }), await begin(resource)];
    add(writing.view, 'a');
    expect(textsOf(reading.view)).toEqual([]);
    expect(await writing.conflicts?.()).toEqual([]);
    await writing.commit();
    expect(textsOf(database)).toEqual(['a']);
    expect(textsOf(reading.view)).toEqual([]);
    expect(await reading.conflicts?.()).toEqual(['its data']);
    expect(() => add(reading.view, 'b')).toThrow(/readonly/);
    await reading.rollback();
    // Its connection can write again.
    const [again, other] = [await begin(resource), await begin(resource)];
    add(again.view, 'c');
    expect(await again.conflicts?.()).toEqual([]);
    await again.commit();
    await other.rollback();
    expect(textsOf(database)).toEqual(['a', 'c']);
  });

  it('take the right to write from each other, and the one that lost it runs again', async () => {
    const { resource, database } = openParallel();
    const [first, second] = [await begin(resource), await begin(resource)];
    add(second.view, 'second');
    // Comes later, and is settled first.
    add(first.view, 'first');
    expect(await first.conflicts?.()).toEqual([]);
    expect(() => textsOf(second.view)).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    await first.commit();
    expect(await second.conflicts?.()).toEqual(['its data']);
    expect(() => second.commit()).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    await second.rollback();
    const again = await begin(resource);
    expect(textsOf(again.view)).toEqual(['first']);
    add(again.view, 'second');
    expect(await again.conflicts?.()).toEqual([]);
    await again.commit();
    expect(textsOf(database)).toEqual(['first', 'second']);
  });

  it('conflict with commits of other connections, and cannot write on what is out of date', async () => {
    const { resource } = openParallel();
    const [first, second] = [await begin(resource), await begin(resource)];
    add(first.view, 'a');
    await first.commit();
    expect(() => add(second.view, 'b')).toThrow(expect.toSatisfy(TransactionClosedError.isInstance));
    expect(await second.conflicts?.()).toEqual(['its data']);
    await second.rollback();
  });

  it('let the calls of an evaluation within them read what they wrote, and not write', async () => {
    const { resource } = openParallel();
    const outer = await begin(resource);
    add(outer.view, 'a');
    const inner = await begin(resource, { within: outer.view, readOnly: true });
    expect(textsOf(inner.view)).toEqual(['a']);
    expect(() => add(inner.view, 'b')).toThrow(/readonly/);
    await expect(begin(resource, { within: outer.view })).rejects.toThrow(/without the option open/);
    add(outer.view, 'c');
    await outer.commit();
  });
});
