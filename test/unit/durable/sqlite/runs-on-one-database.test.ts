import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type AnyResourceBinding,
  type AnyTool,
  binding,
  type JournalBatch,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  type ResourceTransaction,
  type RunJournal,
  RunLostError,
  resourceToken,
  resumeRun,
  Session,
  section,
  ToolResult,
  type TransactionBeginOptions,
  tool,
} from 'weakincentives';
import {
  type SqliteDatabase,
  type SqliteResource,
  type SqliteRunJournal,
  sqliteJournal,
  sqliteResource,
} from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { noSqlite, openDatabase, sqliteSuite } from '../../../support/sqlite.ts';

const Ledger = resourceToken<SqliteDatabase>('ledger');

const book = tool({
  name: 'book',
  description: 'Books an entry.',
  effects: 'state',
  execute: async (_params, { resources, callId }) => {
    (await resources.get(Ledger)).prepare('insert into entries values (?)').run(callId);
    return ToolResult.ok(null, 'Booked.');
  },
});

function bookingPrompt(database: SqliteDatabase): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'booking',
    resources: [binding(Ledger, sqliteResource({ database }))],
    sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book] })],
  }).bind();
}

const work = tool({ name: 'work', description: 'Works.', execute: () => ToolResult.ok(null, 'Worked.') });

const oneCall = scriptedAdapter([{ toolCalls: [{ name: 'work' }] }, { text: 'done' }]);

const adapter = scriptedAdapter([
  { toolCalls: [{ name: 'book' }] },
  { toolCalls: [{ name: 'book' }] },
  { text: 'done' },
]);

function openLedger(path: string): SqliteDatabase {
  const database = openDatabase(path);
  database.exec('create table if not exists entries (call text)');
  return database;
}

const entriesOf = (database: SqliteDatabase): readonly unknown[] =>
  database.prepare('select call from entries order by call').all();

function pathOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-one-database-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

/** The journal, with something done before rows are appended. */
function withAppend(
  journal: SqliteRunJournal,
  before: (batch: JournalBatch) => void | Promise<void>,
): RunJournal {
  const append: RunJournal['append'] = async (batch, lease) => {
    await before(batch);
    return journal.append(batch, lease);
  };
  return new Proxy(journal, {
    get: (target, name) => {
      const member: unknown = name === 'append' ? append : Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const hasCommitOf = ({ rows }: JournalBatch, turn: number): boolean =>
  rows.some(({ type, line }) => type === 'commit' && line.includes(`"turn":${turn}`));

/** Something that others wait for. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** What two agents that work at the same time wait for. */
interface Pace {
  /** The one that books answers. */
  readonly answering: () => Promise<void>;
  /** The one that takes notes does so. */
  readonly noting: () => Promise<void>;
  /** A booking is committed, and its row is missing. */
  readonly booked: () => void;
}

/** A call that has two agents at work at the same time: one books, the other takes notes. */
function agentsPrompt(database: SqliteDatabase, { noting, booked }: Pace): Prompt {
  const note = tool({
    name: 'note',
    description: 'Takes a note.',
    effects: 'state',
    execute: async () => {
      await noting();
      return ToolResult.ok(null, 'Noted.');
    },
  });
  const agent = (key: string, made: AnyTool, resources: readonly AnyResourceBinding[] = []): Prompt =>
    promptTemplate({
      ns: 'test',
      key,
      resources,
      sections: [section({ title: 'Task', key: 'task', template: `Be the ${key}.`, tools: [made] })],
    }).bind();
  const delegate = tool({
    name: 'delegate',
    description: 'Has it done.',
    effects: 'external',
    reenters: true,
    execute: async (_params, { adapter: inner }) => {
      const ledger = binding(Ledger, notifying(sqliteResource({ database }), booked));
      await Promise.all([
        inner.evaluate(agent('booker', book, [ledger])),
        inner.evaluate(agent('noter', note)),
      ]);
      return ToolResult.ok(null, 'Done.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'agents',
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [delegate] })],
  }).bind();
}

/** The resource, which says when it has been committed and its row is missing. */
function notifying({ instance, transactional }: SqliteResource, booked: () => void): SqliteResource {
  const begin = async (
    resource: SqliteDatabase,
    options: TransactionBeginOptions,
  ): Promise<ResourceTransaction<SqliteDatabase>> => {
    const transaction = await transactional.begin(resource, options);
    const commitWith: ResourceTransaction<SqliteDatabase>['~commitWith'] = (row) => {
      transaction['~commitWith']?.(row);
      booked();
    };
    return { ...transaction, '~commitWith': commitWith };
  };
  const { '~sharesTransactionWith': shared } = transactional;
  return {
    instance,
    transactional: {
      mayFail: true,
      begin,
      ...(shared === undefined ? {} : { '~sharesTransactionWith': shared }),
    },
  };
}

const agentsAdapter = ({ answering }: Pace): ProviderAdapter =>
  scriptedAdapter(async (_conversation, { instructions, turn }) => {
    if (turn > 1) return { text: 'done' };
    if (instructions.includes('Lead.')) return { toolCalls: [{ name: 'delegate' }] };
    if (instructions.includes('noter')) return { toolCalls: [{ name: 'note', callId: 'noting' }] };
    await answering();
    return { toolCalls: [{ name: 'book', callId: 'booking' }] };
  });

describe.skipIf(noSqlite !== undefined)(
  sqliteSuite('a run whose resource and journal are one database'),
  () => {
    it('has no call in doubt: the row of a call and what it wrote are one transaction', async () => {
      const database = openLedger(':memory:');
      await using journal = sqliteJournal({ database });
      await adapter.evaluate(bookingPrompt(database), { journal, runId: 'run' });
      const types = (await journal.read('run')).map(({ type }) => type);
      expect(types).not.toContain('begin');
      expect(types.filter((type) => type === 'commit')).toHaveLength(2);
      expect(entriesOf(database)).toEqual([{ call: 'call-1-1' }, { call: 'call-2-1' }]);
    });

    it('marks the beginning of calls that commit elsewhere, and not of those that only read', async () => {
      const ledger = openLedger(':memory:');
      await using journal = sqliteJournal({ database: openDatabase() });
      const count = tool({
        name: 'count',
        description: 'Counts entries.',
        effects: 'read',
        execute: async (_params, { resources }) =>
          ToolResult.ok(entriesOf(await resources.get(Ledger)).length),
      });
      const prompt = promptTemplate({
        ns: 'test',
        key: 'counting',
        resources: [binding(Ledger, sqliteResource({ database: ledger }))],
        sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book, count] })],
      }).bind();
      const script = scriptedAdapter([
        { toolCalls: [{ name: 'book' }, { name: 'count' }] },
        { text: 'done' },
      ]);
      await script.evaluate(prompt, { journal, runId: 'run' });
      const begun = (await journal.read('run')).filter(({ type }) => type === 'begin');
      expect(begun).toMatchObject([{ line: expect.stringContaining('"toolName":"book"') }]);
    });

    it('has neither or both when the process ends at the commit, and ends alike when it is resumed', async () => {
      const path = pathOfTest();
      const first = openLedger(path);
      const failing = withAppend(sqliteJournal({ database: first }), (batch) => {
        if (hasCommitOf(batch, 2)) throw new Error('killed');
      });
      await expect(
        adapter.evaluate(bookingPrompt(first), { journal: failing, runId: 'run' }),
      ).rejects.toThrow(RunLostError);
      const second = openLedger(path);
      expect(entriesOf(second)).toEqual([{ call: 'call-1-1' }]);
      await using journal = sqliteJournal({ database: second });
      const end = await resumeRun({ adapter, journal, runId: 'run', prompt: bookingPrompt(second) });
      expect(end.finishReason).toBe('stop');
      expect(JSON.stringify(end.conversation)).not.toContain('may have taken effect');
      expect(entriesOf(second)).toEqual([{ call: 'call-1-1' }, { call: 'call-2-1' }]);
    });

    it('has neither when the transaction of both fails once, and ends alike when it is resumed', async () => {
      const database = openLedger(':memory:');
      let failsAt = 0;
      let commits = 0;
      const exec = (sql: string): unknown => {
        if (sql === 'commit') commits += 1;
        if (sql === 'commit' && commits === failsAt) throw new Error('disk I/O error');
        return database.exec(sql);
      };
      const failing: SqliteDatabase = { exec, prepare: (sql) => database.prepare(sql) };
      await using journal = sqliteJournal({ database: failing });
      const arming = withAppend(journal, (batch) => {
        if (failsAt === 0 && hasCommitOf(batch, 2)) failsAt = commits + 1;
      });
      const prompt = bookingPrompt(failing);
      const once = { journal: arming, runId: 'run' };
      await expect(adapter.evaluate(prompt, once)).rejects.toThrow(RunLostError);
      expect(entriesOf(database)).toEqual([{ call: 'call-1-1' }]);
      const end = await resumeRun({ adapter, journal, runId: 'run', prompt });
      expect(end.finishReason).toBe('stop');
      expect(entriesOf(database)).toEqual([{ call: 'call-1-1' }, { call: 'call-2-1' }]);
    });

    it('keeps nothing of an undecided call when it loses its lease, whatever another run writes meanwhile', async () => {
      const path = pathOfTest();
      const first = openLedger(path);
      const inner = sqliteJournal({ database: first });
      const others = openLedger(path);
      let seen: unknown;
      const contested = withAppend(inner, async (batch) => {
        if (batch.runId !== 'run' || !hasCommitOf(batch, 2)) return;
        // The call is undecided. Another run, which does not use the database, has a call of its own, and its commit row.
        const prompt = promptTemplate({
          ns: 'test',
          key: 'other',
          sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [work] })],
        }).bind();
        await oneCall.evaluate(prompt, { journal: inner, runId: 'other' });
        await inner.revoke('mine');
        seen = entriesOf(others);
      });
      const session = new Session({ id: 'mine' });
      await expect(
        adapter.evaluate(bookingPrompt(first), { journal: contested, runId: 'run', session }),
      ).rejects.toThrow(RunLostError);
      expect(seen).toEqual([{ call: 'call-1-1' }]);
      expect(entriesOf(others)).toEqual([{ call: 'call-1-1' }]);
      const rows = await inner.read('other');
      expect(rows.map(({ type }) => type)).toContain('commit');
      expect((await inner.runs()).map(({ runId, status }) => [runId, status])).toEqual(
        expect.arrayContaining([
          ['other', 'finished'],
          ['run', 'interrupted'],
        ]),
      );
      await using journal = sqliteJournal({ database: others });
      const end = await resumeRun({ adapter, journal, runId: 'run', prompt: bookingPrompt(others) });
      expect(end.finishReason).toBe('stop');
      expect(entriesOf(others)).toEqual([{ call: 'call-1-1' }, { call: 'call-2-1' }]);
    });

    it('is not committed by rows of an agent that works at the same time', async () => {
      const path = pathOfTest();
      const first = openLedger(path);
      const [isAsked, isNoted, isBooked] = [gate(), gate(), gate()];
      let isKilled = false;
      const inner = sqliteJournal({ database: first });
      const failing = withAppend(inner, async ({ rows }) => {
        if (isKilled) throw new Error('killed');
        if (!rows.some(({ type, line }) => type === 'commit' && line.includes('"noting"'))) return;
        // The row of the note is written while the booking is committed and has no row.
        isNoted.open();
        await isBooked.passed;
        isKilled = true;
      });
      const pace: Pace = {
        answering: () => {
          isAsked.open();
          return isNoted.passed;
        },
        noting: () => isAsked.passed,
        booked: isBooked.open,
      };
      const killed = agentsAdapter(pace).evaluate(agentsPrompt(first, pace), {
        journal: failing,
        runId: 'run',
      });
      await expect(killed).rejects.toThrow(RunLostError);
      const commits = (await inner.read('run')).filter(({ type }) => type === 'commit');
      expect(commits).toMatchObject([{ line: expect.stringContaining('"noting"') }]);
      const second = openLedger(path);
      expect(entriesOf(second)).toEqual([]);
      await using journal = sqliteJournal({ database: second });
      const free: Pace = {
        answering: async () => undefined,
        noting: async () => undefined,
        booked: () => undefined,
      };
      const prompt = agentsPrompt(second, free);
      const end = await resumeRun({ adapter: agentsAdapter(free), journal, runId: 'run', prompt });
      expect(end.finishReason).toBe('stop');
      expect(entriesOf(second)).toEqual([{ call: 'booking' }]);
    });
  },
);
