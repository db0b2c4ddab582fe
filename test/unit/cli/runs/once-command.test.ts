import { beforeEach, describe, expect, it } from 'vitest';
import type { RunJournal } from 'weakincentives';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { onceCommand } from '../../../../src/cli/runs/once-command.ts';
import { runsCommand } from '../../../../src/cli/runs/runs-command.ts';
import { changeOnce, onceCall } from '../../../contract/journal-ledger.ts';
import { addRun, journalsWithoutLedger, MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';

const day = 24 * 3_600_000;
let journals: MemoryJournals;

async function once(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['once', ...argv]);
  if (request.kind !== 'once') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  expect(await onceCommand(request, environment, { journals, clock: { now: () => 10 * day } })).toBe(0);
  return environment.stdout.text();
}

const messageOf = (...argv: readonly string[]): string => {
  const request = readArguments(argv);
  return request.kind === 'usage-error' ? request.message : '';
};

/** A key that is done, one in doubt and one that a call does now. */
async function fill(journal: RunJournal): Promise<void> {
  const lease = await journal.acquire('s');
  const doubt = onceCall('run/1/c', { key: 'invoice/1\u001b', atMs: day });
  const now = onceCall('run/2/c', { key: 'invoice/3', atMs: 3 * day });
  for (const call of [doubt, now]) await journal.ledger?.once(call, lease, 'begin');
  await changeOnce(
    journal,
    lease,
    { ...doubt, kind: 'begun' },
    { ...doubt, kind: 'in-doubt' },
    { ...onceCall('run/3/c', { key: 'invoice/2', atMs: 2 * day }), kind: 'done', result: 'Paid 5.' },
  );
}

beforeEach(() => {
  journals = new MemoryJournals();
});

describe('wink once list', () => {
  it('is empty without a journal, and without keys', async () => {
    expect(await once()).toBe('there are no keys.\n');
    journals.journal();
    expect(await once('list')).toBe('there are no keys.\n');
    expect(await once('list', '--in-doubt')).toBe('there are no keys in doubt.\n');
    expect(await once('list', '--json')).toBe('');
  });

  it('has a line for each key, the last one first', async () => {
    await fill(journals.journal());
    const lines = (await once()).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^tool {2}key +state +since +call$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
      ['pay', 'invoice/3', 'begun', '1970-01-04T00:00Z', 'run/2/c'],
      ['pay', 'invoice/2', 'done', '1970-01-03T00:00Z', 'run/3/c'],
      ['pay', 'invoice/1<U+001B>', 'in-doubt', '1970-01-02T00:00Z', 'run/1/c'],
    ]);
    expect(await once('list', '--in-doubt')).not.toContain('invoice/2');
    expect(await once('list', '--tool', 'send')).toBe('there are no keys.\n');
  });

  it('holds the results as JSON', async () => {
    await fill(journals.journal());
    expect(eventsOf(await once('--json'))[1]).toEqual({
      toolName: 'pay',
      key: 'invoice/2',
      state: 'done',
      call: 'run/3/c',
      atMs: 2 * day,
      result: 'Paid 5.',
    });
  });
});

describe('wink once settle', () => {
  it('says that a key in doubt was done', async () => {
    const journal = journals.journal();
    await fill(journal);
    expect(await once('settle', 'pay', 'invoice/1\u001b', '--done', 'Paid, the bank says.')).toBe(
      'the key "invoice/1<U+001B>" of "pay" is done: later calls read what you wrote.\n',
    );
    expect(await journal.ledger?.onceKeys({ key: 'invoice/1\u001b' })).toMatchObject([
      { state: 'done', result: 'Paid, the bank says.', atMs: 10 * day },
    ]);
  });

  it('says that it was not', async () => {
    const journal = journals.journal();
    await fill(journal);
    expect(await once('settle', 'pay', 'invoice/1\u001b', '--not-done')).toContain(
      'is free: the next call does it.',
    );
    expect(await journal.ledger?.onceKeys({ key: 'invoice/1\u001b' })).toEqual([]);
  });

  it('refuses a key that is not in doubt', async () => {
    await fill(journals.journal());
    await expect(once('settle', 'pay', 'invoice/2', '--not-done')).rejects.toThrow(
      'the key "invoice/2" of "pay" cannot be settled: it is done already.',
    );
    await expect(once('settle', 'pay', 'invoice/3', '--not-done')).rejects.toThrow(
      'the call run/2/c is doing it now. Stop its run first: "wink runs" lists it.',
    );
    await expect(once('settle', 'pay', 'invoice/4', '--not-done')).rejects.toThrow(
      'the journal does not have it.',
    );
    journals = new MemoryJournals();
    await expect(once('settle', 'pay', 'invoice/1', '--not-done')).rejects.toThrow(
      'the journal does not have it.',
    );
    await expect(once('settle', 'pay', 'k', '--done', 'x'.repeat(20_001))).rejects.toThrow(
      '20001 characters',
    );
  });

  it('refuses a journal without a ledger', async () => {
    const parts = journalsWithoutLedger(journals.journal());
    const request = readArguments(['once']);
    if (request.kind !== 'once') throw new Error(JSON.stringify(request));
    await expect(onceCommand(request, fakeEnvironment(), { journals: parts })).rejects.toThrow(
      'the journal has no ledger.',
    );
  });
});

describe('the arguments of wink once', () => {
  it.each([
    [['forget'], 'unknown action "forget" of wink once; it has list, settle.'],
    [['list', 'pay'], 'wink once list lists all keys: use --tool NAME for one tool.'],
    [['settle', 'pay'], 'name a tool and a key: wink once settle TOOL KEY; "wink once list" lists them.'],
    [['settle', 'pay', 'k', 'more', '--not-done'], 'wink once takes ACTION, TOOL, KEY: 3 at most, not 4.'],
    [['settle', 'pay', 'k'], 'say whether it was done: --done TEXT, which later calls read, or --not-done.'],
    [['settle', 'pay', 'k', '--done', 'x', '--not-done'], 'say whether it was done'],
    [['settle', 'pay', 'k', '--not-done', '--json'], '--json'],
    [['list', '--done', 'x'], '--done'],
  ])('%j are refused', (argv, text) => {
    expect(messageOf('once', ...argv)).toContain(text);
  });
});

describe('wink runs prune --once-older-than', () => {
  async function prune(...argv: readonly string[]): Promise<string> {
    const request = readArguments(['runs', 'prune', ...argv]);
    if (request.kind !== 'runs') throw new Error(JSON.stringify(request));
    const environment = fakeEnvironment();
    await runsCommand(request, environment, { journals, clock: { now: () => 10 * day } });
    return environment.stdout.text();
  }

  it('forgets what was done longer ago, and no run', async () => {
    const journal = journals.journal();
    await fill(journal);
    await addRun(journal, 'old', { status: 'finished' });
    expect(await prune('--once-older-than', '9d')).toBe('forgot 0 keys\n');
    expect(await prune('--once-older-than', '7d', '--dry-run')).toBe('would forget 1 key\n');
    expect(await journal.ledger?.onceKeys()).toHaveLength(3);
    expect(await prune('--once-older-than', '7d')).toBe('forgot 1 key\n');
    expect((await journal.ledger?.onceKeys())?.map(({ state }) => state)).toEqual(['begun', 'in-doubt']);
    expect(await journal.runs({ runId: 'old' })).toHaveLength(1);
  });

  it('goes together with the choice of runs, which leaves the keys alone by itself', async () => {
    const journal = journals.journal();
    await fill(journal);
    await addRun(journal, 'old', { status: 'finished' });
    await prune('--older-than', '1d');
    expect(await journal.ledger?.onceKeys()).toHaveLength(3);
    await addRun(journal, 'older', { status: 'finished' });
    expect(await prune('older', '--once-older-than', '7d')).toBe('removed older\nforgot 1 key\n');
    expect(messageOf('runs', 'prune', '--folder', '.', '--once-older-than', '7d')).toContain(
      'say which runs to remove',
    );
    expect(messageOf('runs', '--once-older-than', '7d')).toContain('--once-older-than');
  });
});
