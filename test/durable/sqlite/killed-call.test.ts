import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteJournal } from 'weakincentives/sqlite';
import { openDatabase } from '../../support/sqlite.ts';
import { startChild } from './started-child.ts';

const rounds = 24;

it(`what a call wrote is there exactly when its row is, after ${rounds} kills`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'runs.db');
  for (let round = 1; round <= rounds; round += 1) {
    const child = startChild('commit-with-row', file, 's');
    let acknowledged = -1;
    const lines = 1 + ((round * 5) % 30);
    for (let count = 1; count <= lines; count += 1) acknowledged = Number((await child.line()) ?? Number.NaN);
    child.signal('SIGKILL');
    expect(await child.exited).toEqual([null, 'SIGKILL', '']);
    for (let line = await child.line(); line !== undefined; line = await child.line()) {
      acknowledged = Number(line);
    }
    const database = openDatabase(file);
    await using journal = sqliteJournal({ database });
    const rows = await journal.read('run-s');
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index));
    // The rows have the column of the statement.
    const effects = database.prepare('select seq from effects order by seq').all() as { seq: number }[];
    const committed = rows.filter(({ type }) => type === 'commit').map(({ seq }) => seq);
    expect(effects.map(({ seq }) => seq)).toEqual(committed);
    expect(committed.at(-1)).toBeGreaterThanOrEqual(acknowledged);
    expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
    await journal.revoke('s');
  }
});
