import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JournalFencedError, type ResourceTransaction, type RunLease } from 'weakincentives';
import {
  type SqliteDatabase,
  type SqliteRunJournal,
  sqliteJournal,
  sqliteResource,
} from 'weakincentives/sqlite';
import { rowsOf, summaryOf } from '../contract/run-journal.ts';
import { noSqlite, openDatabase, sqliteSuite } from '../support/sqlite.ts';
import { tempFolder } from '../unit/node/temp-folder.ts';

/** One step of a run whose journal and resource share a database object. */
interface Command {
  readonly kind:
    | 'begin'
    | 'nest'
    | 'write'
    | 'break'
    | 'commit'
    | 'rollback'
    | 'row'
    | 'gap'
    | 'decide'
    | 'other';
}

const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(['begin', 'begin', 'nest', 'write', 'write', 'break', 'commit', 'commit', 'rollback'] as const),
      ...(['row', 'row', 'gap', 'decide', 'decide', 'other'] as const),
    ),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

interface OpenCall {
  readonly transaction: ResourceTransaction<SqliteDatabase>;
  /** What it wrote, and its committed inner calls. */
  readonly written: number[];
}

/** The program, and what is durable and what is not yet. */
class SharedRun {
  readonly #database: SqliteDatabase;
  readonly #begin: (within?: SqliteDatabase) => Promise<ResourceTransaction<SqliteDatabase>>;
  readonly #journal: SqliteRunJournal;
  readonly #lease: RunLease;
  /** Outermost first. */
  readonly #calls: OpenCall[] = [];
  /** SQLite has rolled the transaction of the calls back. */
  #isBroken = false;
  /** What a committed call wrote whose row is missing. */
  #undecided: readonly number[] | undefined;
  #durable: number[] = [];
  #rows = 0;
  #next = 0;
  #sessions = 0;

  constructor(database: SqliteDatabase, journal: SqliteRunJournal, lease: RunLease) {
    this.#database = database;
    this.#journal = journal;
    this.#lease = lease;
    const { transactional, instance } = sqliteResource({ database });
    this.#begin = async (within = instance) => transactional.begin(within, { readOnly: false });
  }

  async run({ kind }: Command): Promise<void> {
    const call = this.#calls.at(-1);
    switch (kind) {
      case 'begin':
        if (call === undefined && this.#undecided === undefined)
          this.#calls.push({ transaction: await this.#begin(), written: [] });
        return;
      case 'nest':
        if (call !== undefined && !this.#isBroken)
          this.#calls.push({ transaction: await this.#begin(call.transaction.view), written: [] });
        return;
      case 'write':
        if (call === undefined || this.#isBroken) return;
        this.#next += 1;
        call.transaction.view.prepare('insert into notes values (?)').run(this.#next);
        call.written.push(this.#next);
        return;
      case 'break':
        if (call === undefined || this.#isBroken) return;
        expect(() => call.transaction.view.exec('insert or rollback into notes values (0)')).toThrow(
          /UNIQUE/,
        );
        this.#isBroken = true;
        return;
      case 'commit':
        if (call !== undefined) await this.#commit(call);
        return;
      case 'rollback':
        if (call !== undefined) await this.#rollback(call);
        return;
      case 'row':
        await this.#append('note');
        return;
      case 'gap': {
        const batch = { runId: 'r', rows: rowsOf(this.#rows + 1, 1), summary: summaryOf() };
        await expect(this.#journal.append(batch, this.#lease)).rejects.toSatisfy(
          JournalFencedError.isInstance,
        );
        return;
      }
      case 'decide':
        if (call !== undefined) return;
        await this.#append('commit');
        this.#durable.push(...(this.#undecided ?? []));
        this.#undecided = undefined;
        return;
      case 'other': {
        this.#sessions += 1;
        const lease = await this.#journal.acquire(`other-${this.#sessions}`);
        await lease.release();
      }
    }
  }

  /** Ends what is open and compares the database, as another connection sees it. */
  async finish(other: SqliteDatabase): Promise<void> {
    for (let call = this.#calls.at(-1); call !== undefined; call = this.#calls.at(-1))
      await this.#rollback(call);
    await this.#lease.release();
    // The rows have the column of the statement.
    const notes = other.prepare('select id from notes where id > 0 order by id').all() as { id: number }[];
    expect(notes.map(({ id }) => id)).toEqual([...this.#durable].sort((left, right) => left - right));
    const rows = other.prepare('select id from wink_rows').all();
    expect(rows).toHaveLength(this.#rows);
    expect(other.prepare('select * from wink_leases').all()).toEqual([]);
    // The connection can be used again.
    this.#database.exec('begin immediate; commit');
  }

  async #append(type: string): Promise<void> {
    const batch = { runId: 'r', rows: rowsOf(this.#rows, 1, type), summary: summaryOf() };
    await this.#journal.append(batch, this.#lease);
    this.#rows += 1;
    expect(await this.#journal.read('r')).toHaveLength(this.#rows);
  }

  async #commit(call: OpenCall): Promise<void> {
    if (this.#isBroken) {
      await expect((async () => call.transaction.commit())()).rejects.toThrow();
      await this.#rollback(call);
      return;
    }
    await call.transaction.commit();
    this.#calls.pop();
    const outer = this.#calls.at(-1);
    if (outer === undefined) this.#undecided = call.written;
    else outer.written.push(...call.written);
  }

  async #rollback(call: OpenCall): Promise<void> {
    await call.transaction.rollback();
    this.#calls.pop();
    if (this.#calls.length === 0) this.#isBroken = false;
  }
}

describe.skipIf(noSqlite !== undefined)(sqliteSuite('random calls and rows on one database object'), () => {
  it('leave each row that was answered, and what calls wrote whose row was written', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (program) => {
        const path = join(tempFolder(), 'runs.db');
        const database = openDatabase(path);
        database.exec('create table notes (id integer primary key); insert into notes values (0)');
        await using journal = sqliteJournal({ database, synchronous: 'normal' });
        const run = new SharedRun(database, journal, await journal.acquire('s'));
        for (const command of program) await run.run(command);
        await run.finish(openDatabase(path));
      }),
      { numRuns: 80 },
    );
  });
});
