import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JournalFencedError,
  type ResourceTransaction,
  type RunLease,
  TransactionClosedError,
} from 'weakincentives';
import {
  type SqliteDatabase,
  type SqliteRunJournal,
  sqliteJournal,
  sqliteResource,
} from 'weakincentives/sqlite';
import { rowsOf, summaryOf } from '../contract/run-journal.ts';
import { draws } from '../support/draws.ts';
import { noSqlite, openDatabase, sqliteSuite } from '../support/sqlite.ts';
import { tempFolder } from '../unit/host/temp-folder.ts';

/** What each of two sessions may do next. */
const kinds = [
  ...([
    'begin',
    'begin',
    'nest',
    'write',
    'write',
    'write',
    'break',
    'commit',
    'commit',
    'final',
    'rollback',
  ] as const),
  ...(['row', 'inner', 'gap', 'decide', 'decide', 'decide', 'lose', 'other'] as const),
] as const;

/** One step of a run whose journal and resource share a database object with those of another one. */
interface Command {
  readonly kind: (typeof kinds)[number];
  readonly session: 0 | 1;
}

const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), session: fc.constantFrom(0, 1) }),
  { minLength: 10, maxLength: 80, size: 'max' },
);

interface OpenCall {
  readonly transaction: ResourceTransaction<SqliteDatabase>;
  /** What it wrote, and its committed inner calls. */
  readonly written: number[];
}

/** A session: its run has as many rows as were answered. */
interface Owner {
  readonly name: string;
  lease: RunLease;
  rows: number;
}

/** The program, and what is durable and what is not yet. */
class SharedRuns {
  readonly #database: SqliteDatabase;
  readonly #begin: (within?: SqliteDatabase) => Promise<ResourceTransaction<SqliteDatabase>>;
  readonly #journal: SqliteRunJournal;
  readonly #owners: readonly Owner[];
  /** Outermost first. They are one session's: those of the other one would wait. */
  readonly #calls: OpenCall[] = [];
  #caller: Owner | undefined;
  /** SQLite has rolled the transaction of the calls back. */
  #isBroken = false;
  /** A committed call whose row is missing. */
  #undecided:
    | { readonly owner: Owner; readonly row: { seq: number | undefined }; readonly written: number[] }
    | undefined;
  #durable: number[] = [];
  #next = 0;
  #sessions = 0;

  constructor(database: SqliteDatabase, journal: SqliteRunJournal, owners: readonly Owner[]) {
    this.#database = database;
    this.#journal = journal;
    this.#owners = owners;
    const { transactional, instance } = sqliteResource({ database });
    this.#begin = async (within = instance) => transactional.begin(within, { readOnly: false });
  }

  async run({ kind, session }: Command): Promise<void> {
    const owner = this.#owners[session];
    if (owner === undefined) throw new RangeError('There are two sessions.');
    const call = this.#caller === owner ? this.#calls.at(-1) : undefined;
    switch (kind) {
      case 'begin':
        if (this.#calls.length > 0 || this.#undecided !== undefined) return;
        this.#caller = owner;
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
        if (call !== undefined) await this.#commit(call, owner);
        return;
      case 'final':
        // No row decides, as in an evaluation without the journal.
        if (call !== undefined) await this.#commit(call, undefined);
        return;
      case 'rollback':
        if (call !== undefined) await this.#rollback(call);
        return;
      case 'row':
        await this.#append(owner, 'note');
        return;
      case 'inner':
        // The row of a call within a call, or of another call.
        await this.#append(owner, 'commit');
        return;
      case 'gap': {
        const batch = { runId: owner.name, rows: rowsOf(owner.rows + 1, 1), summary: summaryOf() };
        await expect(this.#journal.append(batch, owner.lease)).rejects.toSatisfy(
          JournalFencedError.isInstance,
        );
        return;
      }
      case 'decide': {
        const undecided = this.#undecided;
        if (undecided?.owner !== owner) return;
        undecided.row.seq = owner.rows;
        await this.#append(owner, 'commit');
        this.#durable.push(...undecided.written);
        this.#undecided = undefined;
        return;
      }
      case 'lose': {
        const former = owner.lease;
        if (this.#undecided?.owner === owner) {
          // The row was made and is never written. One of the other run has the same number.
          this.#undecided.row.seq = owner.rows;
          const other = this.#owners[1 - session];
          const missing = owner.rows + 1 - (other?.rows ?? 0);
          for (let count = 0; count < missing; count += 1) await this.#append(other, 'commit');
        }
        await this.#journal.revoke(owner.name);
        if (this.#undecided?.owner === owner) this.#undecided = undefined;
        const batch = { runId: owner.name, rows: rowsOf(owner.rows, 1), summary: summaryOf() };
        await expect(this.#journal.append(batch, former)).rejects.toSatisfy(JournalFencedError.isInstance);
        if (call !== undefined) await this.#refuseCommit(former);
        owner.lease = await this.#journal.acquire(owner.name);
        return;
      }
      case 'other': {
        this.#sessions += 1;
        const lease = await this.#journal.acquire(`other-${this.#sessions}`);
        await lease.release();
      }
    }
  }

  /** Ends what is open and compares the database, as another connection sees it. */
  async finish(other: SqliteDatabase): Promise<void> {
    await this.#rollbackAll();
    for (const { lease } of this.#owners) await lease.release();
    // The rows have the column of the statement.
    const notes = other.prepare('select id from notes where id > 0 order by id').all() as { id: number }[];
    expect(notes.map(({ id }) => id)).toEqual([...this.#durable].sort((left, right) => left - right));
    const rows = other.prepare('select id from wink_rows').all();
    expect(rows).toHaveLength(this.#owners.reduce((sum, owner) => sum + owner.rows, 0));
    expect(other.prepare('select * from wink_leases').all()).toEqual([]);
    // The connection can be used again.
    this.#database.exec('begin immediate; commit');
  }

  async #append(owner: Owner | undefined, type: string): Promise<void> {
    if (owner === undefined) throw new RangeError('There are two sessions.');
    const batch = { runId: owner.name, rows: rowsOf(owner.rows, 1, type), summary: summaryOf() };
    await this.#journal.append(batch, owner.lease);
    owner.rows += 1;
    expect(await this.#journal.read(owner.name)).toHaveLength(owner.rows);
  }

  /** @param owner of the row that decides. Default: none decides. */
  async #commit(call: OpenCall, owner: Owner | undefined): Promise<void> {
    const row = { runId: owner?.name ?? '', owner: owner?.lease.owner ?? '', seq: undefined };
    const commit = async (): Promise<void> =>
      owner === undefined ? call.transaction.commit() : call.transaction['~commitWith']?.(row);
    if (this.#isBroken) {
      await expect(commit()).rejects.toThrow();
      await this.#rollback(call);
      return;
    }
    await commit();
    this.#calls.pop();
    const outer = this.#calls.at(-1);
    if (outer !== undefined) outer.written.push(...call.written);
    else if (owner === undefined) this.#durable.push(...call.written);
    else this.#undecided = { owner, row, written: call.written };
  }

  /** The outermost call of a session that has lost its lease cannot be committed any more. */
  async #refuseCommit({ owner }: RunLease): Promise<void> {
    while (this.#calls.length > 1) await this.#rollback(this.#calls.at(-1));
    const transaction = this.#calls[0]?.transaction;
    const row = { runId: this.#caller?.name ?? '', owner, seq: undefined };
    expect(() => transaction?.['~commitWith']?.(row)).toThrow(TransactionClosedError);
    await this.#rollbackAll();
  }

  async #rollbackAll(): Promise<void> {
    while (this.#calls.length > 0) await this.#rollback(this.#calls.at(-1));
  }

  async #rollback(call: OpenCall | undefined): Promise<void> {
    await call?.transaction.rollback();
    this.#calls.pop();
    if (this.#calls.length === 0) this.#isBroken = false;
  }
}

describe.skipIf(noSqlite !== undefined)(sqliteSuite('random calls and rows on one database object'), () => {
  it('leave each row that was answered, and what calls wrote whose own row was written', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (program) => {
        const path = join(tempFolder(), 'runs.db');
        const database = openDatabase(path);
        database.exec('create table notes (id integer primary key); insert into notes values (0)');
        await using journal = sqliteJournal({ database, synchronous: 'normal' });
        const owners: Owner[] = [];
        for (const name of ['r', 's']) owners.push({ name, lease: await journal.acquire(name), rows: 0 });
        const runs = new SharedRuns(database, journal, owners);
        for (const command of program) await runs.run(command);
        await runs.finish(openDatabase(path));
      }),
      { numRuns: draws(80) },
    );
  });
});
