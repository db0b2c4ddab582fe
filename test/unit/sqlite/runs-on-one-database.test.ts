import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  binding,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  type RunJournal,
  RunLostError,
  resourceToken,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type SqliteDatabase, sqliteJournal, sqliteResource } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { noSqlite, openDatabase, sqliteSuite } from '../../support/sqlite.ts';

const Ledger = resourceToken<SqliteDatabase>('ledger');

function bookingPrompt(database: SqliteDatabase): Prompt {
  const book = tool({
    name: 'book',
    description: 'Books an entry.',
    effects: 'state',
    execute: async (_params, { resources, callId }) => {
      (await resources.get(Ledger)).prepare('insert into entries values (?)').run(callId);
      return ToolResult.ok(null, 'Booked.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'booking',
    resources: [binding(Ledger, sqliteResource({ database }))],
    sections: [section({ title: 'Task', key: 'task', template: 'Book.', tools: [book] })],
  }).bind();
}

const adapter = scriptedAdapter([
  { toolCalls: [{ name: 'book' }] },
  { toolCalls: [{ name: 'book' }] },
  { text: 'done' },
]);

function openLedger(path: string): SqliteDatabase {
  const database = openDatabase(path);
  database.exec('create table if not exists entries (call text primary key)');
  return database;
}

const entriesOf = (database: SqliteDatabase): readonly unknown[] =>
  database.prepare('select call from entries order by call').all();

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

    it('has neither or both when the process ends at the commit, and ends alike when it is resumed', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'wink-one-database-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, 'runs.db');
      const first = openLedger(path);
      const inner = sqliteJournal({ database: first });
      const isCommit = ({ rows }: JournalBatch): boolean =>
        rows.some(({ type, line }) => type === 'commit' && line.includes('"turn":2'));
      const failing: RunJournal = Object.assign(Object.create(inner) as RunJournal, {
        '~database': first,
        append: async (batch: JournalBatch, lease: Parameters<RunJournal['append']>[1]) => {
          if (isCommit(batch)) throw new Error('killed');
          await inner.append(batch, lease);
        },
        read: (...read: Parameters<RunJournal['read']>) => inner.read(...read),
        acquire: (sessionId: string) => inner.acquire(sessionId),
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
  },
);
