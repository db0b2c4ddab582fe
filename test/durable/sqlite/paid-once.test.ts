import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteJournal } from 'weakincentives/sqlite';
import { startChild } from './started-child.ts';

interface Counts {
  readonly paid: number;
  readonly known: number;
  readonly busy: number;
}

it.each(['file', 'database'])(
  'what two processes want done at the same time is done once, by { %s }',
  async (form) => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-once-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [file, payments] = [join(folder, 'runs.db'), join(folder, 'payments')];
    const count = 40;
    const children = ['first', 'second'].map((name) =>
      startChild('pay-once', form, file, payments, name, String(count)),
    );
    for (const child of children) expect(await child.line()).toBe('ready');
    for (const child of children) child.send('go');
    const counts: Counts[] = [];
    for (const child of children) {
      counts.push(JSON.parse((await child.line()) ?? 'null'));
      expect(await child.exited).toEqual([0, null, '']);
    }
    const sum = (of: keyof Counts): number => counts.reduce((total, each) => total + each[of], 0);
    const invoices = Array.from({ length: count }, (_, number) => `invoice-${number}`).sort();
    expect(readFileSync(payments, 'utf8').trimEnd().split('\n').sort()).toEqual(invoices);
    expect([sum('paid'), sum('known') + sum('busy')]).toEqual([count, count]);
    await using journal = sqliteJournal({ file });
    const keys = (await journal.ledger?.onceKeys()) ?? [];
    expect(keys.map(({ key, state }) => `${key} ${state}`).sort()).toEqual(
      invoices.map((invoice) => `${invoice} done`),
    );
  },
);
