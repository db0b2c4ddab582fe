import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteJournal } from 'weakincentives/sqlite';
import { startChild } from './started-child.ts';

const limit = 50_000;
const day = { budget: 'all', period: 'now' };

it.each(['file', 'database'])(
  'runs of three processes, of which one is killed, do not pass the budget that they share, by { %s }',
  async (form) => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-budget-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'runs.db');
    const children = ['first', 'second', 'third'].map((name) =>
      startChild('spend-budget', form, file, name, '7', String(limit)),
    );
    for (const child of children) expect(await child.line()).toBe('ready');
    const [killed, ...others] = children;
    killed?.send('go');
    for (let turns = 0; turns < 9; turns += 1) expect(await killed?.line()).toBe('turn');
    for (const child of others) child.send('go');
    killed?.signal('SIGKILL');
    for (const child of others) {
      let line = await child.line();
      while (line === 'turn') line = await child.line();
      expect(line).toBe('end');
      expect(await child.exited).toEqual([0, null, '']);
    }
    await using journal = sqliteJournal({ file });
    const { ledger } = journal;
    if (ledger === undefined) throw new Error('The journal has a ledger.');
    const rows = await Promise.all((await journal.runs()).map(({ runId }) => journal.read(runId)));
    const answers = rows.flat().filter(({ type }) => type === 'response').length;
    const [budget] = await ledger.budgets(day);
    if (budget === undefined) throw new Error('The journal has the budget.');
    const { spent } = budget;
    expect(spent.totalTokens).toBe(answers * 1_000);
    expect(spent.totalTokens).toBeLessThanOrEqual(limit);
    // What the killed process had reserved is free.
    const lease = await journal.acquire('last');
    const none = { inputTokens: 0, outputTokens: 0, costMillionths: 0, uncountedTurns: 0 };
    const share = await ledger.reserve(
      {
        ...day,
        kind: 'reserve',
        runId: 'last',
        limits: { totalTokens: limit },
        largestTurn: { ...none, totalTokens: limit },
      },
      lease,
    );
    expect(share.upTo.totalTokens).toBe(limit - spent.totalTokens);
    expect(share.reservedByOthers.totalTokens).toBe(0);
  },
);
