import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordFile } from '../../../../src/cli/agent/record-file.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { recordsCommand } from '../../../../src/cli/runs/records-command.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';

const dayMs = 86_400_000;
const nowMs = 100 * dayMs;
/** No process has it. */
const ended = 2 ** 22 + 1;

let folder: string;

const header = {
  type: 'header',
  version: 'wink-run/1',
  runId: 'r',
  sessionId: 's',
  startedAtMs: 0,
  agent: 'demo',
};
const end = { type: 'end', t: 12, outcome: 'finished', turns: 1 };

/** Writes a record of so many days ago. */
function addRecord(name: string, days: number, rows: readonly object[] = [header, end]): string {
  const file = join(folder, name);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  utimesSync(file, (nowMs - days * dayMs) / 1000, (nowMs - days * dayMs) / 1000);
  return file;
}

const named = (day: number, pid = ended): string => `demo-19700${100 + day}-000000-${pid}.jsonl`;

async function records(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['records', ...argv]);
  if (request.kind !== 'records') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment({ variables: { WINK_RECORDS: folder } });
  expect(await recordsCommand(request, environment, { clock: { now: () => nowMs } })).toBe(0);
  return environment.stdout.text();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-records-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the list of records', () => {
  it('is empty where there are none, and where there is no folder', async () => {
    expect(await records()).toBe('there are no records.\n');
    rmSync(folder, { recursive: true });
    expect(await records('list')).toBe('there are no records.\n');
    expect(await records('--json')).toBe('');
  });

  it('has a line for each, the last one first', async () => {
    addRecord(named(1), 3);
    addRecord(named(2), 2, [header]);
    addRecord(named(3, process.pid), 1, [{ ...header, agent: 'de\u001bmo' }]);
    addRecord(named(4), 0.5, [{ type: 'other' }]);
    addRecord('mine.jsonl', 0);
    const lines = (await records()).trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^file +agent +when +outcome +size$/),
      expect.stringMatching(/^demo-19700104\S+ .* unreadable +17 bytes$/),
      expect.stringMatching(/^demo-19700103\S+ +de<U\+001B>mo +1970-01-01T00:00Z +running +\d+ bytes$/),
      expect.stringMatching(/^demo-19700102\S+ +demo +1970-01-01T00:00Z +interrupted +\d+ bytes$/),
      expect.stringMatching(/^demo-19700101\S+ +demo +1970-01-01T00:00Z +finished +\d+ bytes$/),
    ]);
  });

  it('has the file, the agent, times, outcome and size as JSON', async () => {
    const file = addRecord(named(1), 3);
    expect(eventsOf(await records('--json'))).toEqual([
      {
        file,
        agent: 'demo',
        startedAtMs: 0,
        updatedAtMs: nowMs - 3 * dayMs,
        outcome: 'finished',
        sizeBytes: expect.any(Number),
      },
    ]);
  });
});

describe('wink records prune', () => {
  /** How long a record of these tests is. */
  const bytes = Buffer.byteLength(`${JSON.stringify(header)}\n${JSON.stringify(end)}\n`);

  beforeEach(() => {
    for (const days of [1, 2, 3, 4]) addRecord(named(days), days);
  });

  it.each([
    [
      ['--older-than', '60h'],
      [3, 4],
    ],
    [
      ['--keep', '1'],
      [2, 3, 4],
    ],
    [['--keep', '3', '--older-than', '36h'], [4]],
    [['--max-size', '0.001gb'], []],
    [
      ['--max-size', `${((bytes * 2) / 1024 + 0.01).toFixed(3)}kb`],
      [3, 4],
    ],
    [['--max-size', '0kb', '--keep', '3'], [4]],
    [
      [named(2), named(4).slice(0, -6), named(2)],
      [2, 4],
    ],
  ])('removes with %j what is left over, and says what that frees', async (argv, days) => {
    const removed = days.map((day) => named(day));
    const lines = (verb: string, freed: string): string =>
      removed.length === 0
        ? 'there is nothing to remove.\n'
        : `${removed.map((name) => `${verb} ${name}, ${bytes} bytes\n`).join('')}${freed} ${bytes * removed.length} bytes.\n`;
    expect(await records('prune', ...argv, '--dry-run')).toBe(lines('would remove', 'would free'));
    expect(readdirSync(folder)).toHaveLength(4);
    expect(await records('prune', ...argv)).toBe(lines('removed', 'freed'));
    expect(readdirSync(folder).sort()).toEqual(
      [1, 2, 3, 4].map((day) => named(day)).filter((name) => !removed.includes(name)),
    );
  });

  it('leaves what a process writes, and what is no record', async () => {
    addRecord(named(5, process.pid), 9, [header]);
    addRecord(named(6), 9, [{ type: 'other' }]);
    expect(await records('prune', '--older-than', '8d')).toBe(
      `left ${named(5, process.pid)}: its run continues\nleft ${named(6)}: it is not a record\nfreed 0 bytes.\n`,
    );
    expect(readdirSync(folder)).toHaveLength(6);
  });

  it('removes a file elsewhere that is a record, and no other one', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'wink-elsewhere-'));
    const [record, text] = [join(elsewhere, 'kept.jsonl'), join(elsewhere, 'notes.jsonl')];
    writeFileSync(record, `${JSON.stringify(header)}\n`);
    writeFileSync(text, 'text\n');
    const printed = await records('prune', record, text);
    expect(printed).toContain('removed kept.jsonl, ');
    expect(printed).toContain('left notes.jsonl: it is not a record\n');
    expect([existsSync(record), existsSync(text)]).toEqual([false, true]);
    rmSync(elsewhere, { recursive: true });
  });

  it('refuses what names no record', async () => {
    await expect(records('prune', 'other')).rejects.toThrow(
      'there is no record "other": wink records lists them.',
    );
    await expect(records('prune', 'demo-1970')).rejects.toThrow('is the beginning of several names');
    await expect(records('prune', folder)).rejects.toThrow('is not a file.');
  });
});

describe('a new record', () => {
  const open = (variables: Readonly<Record<string, string>> = {}, file = '') =>
    openRecordFile({
      file,
      folder,
      variables,
      agentName: 'demo',
      module: 'demo.ts',
      workspace: undefined,
      workspaceName: 'demo',
      apply: undefined,
      params: {},
      now: () => nowMs,
    });

  it('removes what was named here and is older than 30 days, and nothing else', async () => {
    addRecord(named(1), 31);
    const kept = [
      addRecord(named(2), 29),
      addRecord(named(3, process.pid), 31, [header]),
      addRecord(named(4), 31, [{ type: 'other' }]),
      addRecord('mine.jsonl', 31),
    ];
    const record = await open();
    expect(existsSync(join(folder, named(1)))).toBe(false);
    for (const file of kept) expect(existsSync(file), file).toBe(true);
    expect(await record.close()).toEqual([
      expect.stringMatching(/^removed 1 old record, \d+ bytes \(WINK_RECORDS_DAYS\)$/),
    ]);
  });

  it.each([
    ['0', true],
    ['32', true],
    ['1', false],
  ])('keeps them for WINK_RECORDS_DAYS=%s', async (days, isKept) => {
    const file = addRecord(named(1), 31);
    await (await open({ WINK_RECORDS_DAYS: days })).close();
    expect(existsSync(file)).toBe(isKept);
  });

  it('in a file that the user names removes nothing', async () => {
    const file = addRecord(named(1), 31);
    await (await open({}, join(folder, 'own.jsonl'))).close();
    expect(existsSync(file)).toBe(true);
  });

  it('is refused for days that are not a number', async () => {
    await expect(open({ WINK_RECORDS_DAYS: 'many' })).rejects.toThrow(
      'WINK_RECORDS_DAYS is "many"; it must be a number of days, or 0 to keep all records.',
    );
  });
});
