import { beforeEach, describe, expect, it } from 'vitest';
import type { RunJournal, RunLease } from 'weakincentives';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { budgetsCommand } from '../../../../src/cli/runs/budgets-command.ts';
import { runsCommand } from '../../../../src/cli/runs/runs-command.ts';
import { ledgerOf } from '../../../contract/journal-ledger.ts';
import {
  amounts,
  budgetRequest,
  budgetSpends,
  spendingIn,
  spendRow,
} from '../../../contract/journal-spending.ts';
import { addRun, journalsWithoutLedger, MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';

const day = 24 * 3_600_000;
const january = { budget: 'tenant-1', period: '2026-01' } as const;
const week = { budget: 'ten\u001bant', period: 'week 5' } as const;
let journals: MemoryJournals;

async function budgets(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['budgets', ...argv]);
  if (request.kind !== 'budgets') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  expect(await budgetsCommand(request, environment, { journals })).toBe(0);
  return environment.stdout.text();
}

const messageOf = (...argv: readonly string[]): string => {
  const request = readArguments(argv);
  return request.kind === 'usage-error' ? request.message : '';
};

const spent = amounts({ inputTokens: 90, outputTokens: 10, totalTokens: 100, costMillionths: 2_500_000 });

/** Two budgets: one of a run that continues, one of a run that has ended. */
async function fill(journal: RunJournal): Promise<RunLease> {
  const [lease, ended] = [await journal.acquire('s'), await journal.acquire('t')];
  const limits = { totalTokens: 1_000, costMillionths: 9_000_000 };
  const largestTurn = amounts({ totalTokens: 20, costMillionths: 1 });
  await ledgerOf(journal).reserve(budgetRequest('a', { ...january, limits, largestTurn }), lease);
  await spendRow(journal, lease, 'a', budgetSpends(0, { ...january, spent }));
  await ledgerOf(journal).reserve(budgetRequest('b', { ...week, limits, largestTurn }), ended);
  await ended.release();
  return lease;
}

beforeEach(() => {
  journals = new MemoryJournals();
});

describe('wink budgets list', () => {
  it('is empty without a journal, and without budgets', async () => {
    expect(await budgets()).toBe('there are no budgets.\n');
    journals.journal();
    expect(await budgets('list')).toBe('there are no budgets.\n');
    expect(await budgets('list', '--json')).toBe('');
  });

  it('has a line for each budget and period', async () => {
    await fill(journals.journal());
    const lines = (await budgets()).trimEnd().split('\n');
    expect(lines[0]?.split(/ {2,}/)).toEqual([
      ...['budget', 'period', 'input', 'output', 'tokens', 'cost', 'uncounted'],
      ...['reserved tokens', 'reserved cost', 'runs', 'running', 'changed'],
    ]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    const rows = lines.slice(1).map((line) => line.split(/ {2,}/));
    // Both may have changed in the same millisecond.
    expect(rows.toSorted(([left = ''], [right = '']) => (left < right ? -1 : 1))).toEqual([
      ['ten<U+001B>ant', 'week 5', '0', '0', '0', '0.00', '0', '0', '0.00', '1', '0', time],
      ['tenant-1', '2026-01', '90', '10', '100', '2.50', '0', '0', '0.00', '1', '1', time],
    ]);
  });

  it('shows what is reserved for runs that continue', async () => {
    const journal = journals.journal();
    const lease = await fill(journal);
    const limits = { totalTokens: 1_000, costMillionths: 9_000_000 };
    await ledgerOf(journal).reserve(budgetRequest('c', { ...january, limits }), lease);
    const [, line = ''] = (await budgets('--name', 'tenant-1')).trimEnd().split('\n');
    expect(line.split(/ {2,}/).slice(-5, -1)).toEqual(['500', '0.18', '2', '2']);
  });

  it('lists those of a name and a period', async () => {
    await fill(journals.journal());
    expect(await budgets('--name', 'tenant-1')).not.toContain('week 5');
    expect(await budgets('--period', 'week 5')).not.toContain('tenant-1');
    expect(await budgets('list', '--name', 'tenant-1', '--period', 'week 5')).toBe('there are no budgets.\n');
  });

  it('holds all of it as JSON', async () => {
    const journal = journals.journal();
    await fill(journal);
    expect(eventsOf(await budgets('--json', '--name', 'tenant-1'))).toEqual([
      JSON.parse(JSON.stringify(await spendingIn(journal, january))),
    ]);
    expect(await budgets('--json')).not.toContain('\u001b');
  });

  it('refuses a journal without a ledger', async () => {
    const parts = journalsWithoutLedger(journals.journal());
    const request = readArguments(['budgets']);
    if (request.kind !== 'budgets') throw new Error(JSON.stringify(request));
    await expect(budgetsCommand(request, fakeEnvironment(), { journals: parts })).rejects.toThrow(
      'the journal has no ledger.',
    );
  });
});

describe('the arguments of wink budgets', () => {
  it.each([
    [['forget'], 'unknown action "forget" of wink budgets; it has list.'],
    [
      ['list', 'tenant-1'],
      'wink budgets takes ACTION: 1 at most, not 2. For some of them use --name NAME or --period PERIOD.',
    ],
    [['list', '--tool', 'pay'], '--tool'],
    [['--journal', ''], '--journal is empty.'],
  ])('%j are refused', (argv, text) => {
    expect(messageOf('budgets', ...argv)).toContain(text);
  });
});

describe('wink runs prune --budgets-older-than', () => {
  async function prune(nowMs: number, ...argv: readonly string[]): Promise<string> {
    const request = readArguments(['runs', 'prune', ...argv]);
    if (request.kind !== 'runs') throw new Error(JSON.stringify(request));
    const environment = fakeEnvironment();
    await runsCommand(request, environment, { journals, clock: { now: () => nowMs } });
    return environment.stdout.text();
  }

  it('forgets periods that nothing has changed for longer and no run holds, and no run', async () => {
    const journal = journals.journal();
    const lease = await fill(journal);
    await addRun(journal, 'old', { status: 'finished' });
    const { changedAtMs = 0 } = await spendingIn(journal, week);
    const option = '--budgets-older-than';
    expect(await prune(changedAtMs + 6 * day, option, '7d')).toBe('forgot 0 periods of budgets\n');
    const laterMs = changedAtMs + 8 * day;
    expect(await prune(laterMs, option, '7d', '--dry-run')).toBe('would forget 1 period of budgets\n');
    expect(await ledgerOf(journal).budgets()).toHaveLength(2);
    expect(await prune(laterMs, option, '7d')).toBe('forgot 1 period of budgets\n');
    expect(await ledgerOf(journal).budgets()).toMatchObject([january]);
    await lease.release();
    expect(await prune(laterMs, option, '7d')).toBe('forgot 1 period of budgets\n');
    expect(await journal.runs({ runId: 'old' })).toHaveLength(1);
  });

  it('goes together with the choice of runs and of keys, which leave the budgets alone by themselves', async () => {
    const journal = journals.journal();
    await (await fill(journal)).release();
    await addRun(journal, 'old', { status: 'finished' });
    const laterMs = Date.now() + 8 * day;
    await prune(laterMs, '--once-older-than', '1d', '--keep', '5');
    expect(await ledgerOf(journal).budgets()).toHaveLength(2);
    expect(await prune(laterMs, 'old', '--once-older-than', '7d', '--budgets-older-than', '7d')).toBe(
      'removed old\nforgot 0 keys\nforgot 2 periods of budgets\n',
    );
    expect(messageOf('runs', 'prune', '--folder', '.', '--budgets-older-than', '7d')).toContain(
      'say which runs to remove',
    );
    expect(messageOf('runs', 'prune', '--budgets-older-than', 'long')).toContain('--budgets-older-than');
    expect(messageOf('runs', '--budgets-older-than', '7d')).toContain('--budgets-older-than');
  });
});
