import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionBusyError } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { openDatabase } from '../../support/sqlite.ts';
import { startChild } from './started-child.ts';

const rounds = 24;

function fileOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

describe.each(['file', 'database'])('a writer of a journal by { %s }', (form) => {
  it(`leaves every row that it was answered for, and no gap, when it is killed ${rounds} times`, async () => {
    const file = fileOfTest();
    let kills = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const child = startChild('append-rows', form, file, 's');
      let acknowledged = -1;
      // A few rows, or more than the log holds before it is written back.
      const lines = round % 4 === 0 ? 600 : 1 + ((round * 7) % 40);
      for (let count = 1; count <= lines; count += 1) {
        acknowledged = Math.max(acknowledged, Number((await child.line()) ?? Number.NaN));
      }
      child.signal('SIGKILL');
      expect(await child.exited).toEqual([null, 'SIGKILL', '']);
      kills += 1;
      // What it printed before it was killed counts, too.
      for (let line = await child.line(); line !== undefined; line = await child.line()) {
        acknowledged = Math.max(acknowledged, Number(line));
      }
      await using journal = sqliteJournal({ database: openDatabase(file) });
      const rows = await journal.read('run-s');
      expect(rows.length).toBeGreaterThan(acknowledged);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index));
      // Batches are whole.
      expect(rows.length % 2).toBe(0);
      expect(await journal.runs()).toMatchObject([{ rows: rows.length, status: 'interrupted' }]);
      const check = openDatabase(file).prepare('pragma integrity_check').all();
      expect(check).toMatchObject([{ integrity_check: 'ok' }]);
    }
    expect(kills).toBe(rounds);
  });
});

it('two processes write to one file at the same time, each its own session', async () => {
  const file = fileOfTest();
  const children = [
    startChild('append-rows', 'file', file, 'a'),
    startChild('append-rows', 'database', file, 'b'),
  ];
  const acknowledged = await Promise.all(
    children.map(async (child) => {
      let highest = -1;
      for (let count = 0; count < 100; count += 1) highest = Math.max(highest, Number(await child.line()));
      return highest;
    }),
  );
  await using journal = sqliteJournal({ file });
  // A third one is kept out of both sessions, and needs no lock for that, which it could wait for in vain.
  for (const session of ['a', 'b']) {
    await expect(journal.acquire(session)).rejects.toSatisfy(SessionBusyError.isInstance);
  }
  for (const child of children) child.signal('SIGKILL');
  await Promise.all(children.map(({ exited }) => exited));
  for (const [index, session] of ['a', 'b'].entries()) {
    const rows = await journal.read(`run-${session}`);
    expect(rows.length).toBeGreaterThan(acknowledged[index] ?? Number.NaN);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, position) => position));
  }
});
