import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRecord } from '../../../../src/cli/journal/journaled-record.ts';
import { namedRun } from '../../../../src/cli/journal/named-runs.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { addRun, MemoryJournals } from './journals.ts';

let folder: string;
let journals: MemoryJournals;

const header = (runId: string): string =>
  `${JSON.stringify({ type: 'header', version: 'wink-run/1', runId, sessionId: 's', startedAtMs: 0, promptName: 'demo' })}\n`;

/** Writes a record of the folder of records. */
function addRecord(name: string, updatedAtMs: number): string {
  const file = join(folder, 'records', name);
  writeFileSync(file, header('run'));
  utimesSync(file, updatedAtMs / 1000, updatedAtMs / 1000);
  return file;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-named-'));
  mkdirSync(join(folder, 'records'));
  journals = new MemoryJournals();
});
afterEach(() => {
  expect(journals.opened).toBe(0);
  rmSync(folder, { recursive: true });
});

describe('the run that a word names', () => {
  const find = async (word: string): Promise<string> =>
    (await namedRun(journals.journal(), word, undefined)).run.runId;

  beforeEach(async () => {
    await addRun(journals.journal(), '3fa4c1d2', { updatedAtMs: 5 });
    await addRun(journals.journal(), '3fa4e9aa', { updatedAtMs: 9 });
    await addRun(journals.journal(), 'nightly', { updatedAtMs: 7 });
    await addRun(journals.journal(), 'nightly-2', { updatedAtMs: 6 });
  });

  it.each([
    ['its name', '3fa4c1d2', '3fa4c1d2'],
    ['its name, where others begin with it', 'nightly', 'nightly'],
    ['the beginning that it alone has', '3fa4e', '3fa4e9aa'],
    ['"last", when it was at work last', 'last', '3fa4e9aa'],
  ])('is that of %s', async (_what, word, name) => {
    expect(await find(word)).toBe(name);
  });

  it('is that of a record', async () => {
    const file = join(folder, 'kept.jsonl');
    writeFileSync(file, header('nightly-2'));
    expect(await find(file)).toBe('nightly-2');
    writeFileSync(file, header('elsewhere'));
    await expect(find(file)).rejects.toThrow('the journal has no run "');
  });

  it.each([
    ['3fa4', '"3fa4" is the beginning of several names: 3fa4e9aa, 3fa4c1d2.'],
    [
      'nig',
      '"nig" is too short for the beginning of a name, which has 4 characters at least; names that begin so: nightly, nightly-2.',
    ],
    [
      'nihgtly',
      'the journal has no run "nihgtly": wink runs lists those that it has. Did you mean "nightly"?',
    ],
    ['x\u001b', 'the journal has no run "x<U+001B>": wink runs lists those that it has.'],
    ['', 'the journal has no run "": wink runs lists those that it has.'],
  ])('is not found by "%s"', async (word, message) => {
    await expect(find(word)).rejects.toThrow(new UsageError(message));
  });

  it('is not found by "last" where there is none', async () => {
    const missing = new UsageError(
      'the journal has no run: wink runs --journal no.db lists those that it has.',
    );
    const names = { journal: 'no.db', blobs: undefined };
    await expect(namedRun(new MemoryJournals().journal(), 'last', names)).rejects.toThrow(missing);
    await expect(namedRun(undefined, 'last', names)).rejects.toThrow(missing);
  });
});

describe('the record that a word names', () => {
  const find = async (word: string, journal?: string): Promise<string> => {
    const source = {
      file: word,
      journalNames: journal === undefined ? undefined : { journal, blobs: undefined },
    };
    const environment = { variables: { WINK_RECORDS: join(folder, 'records') } };
    await using found = await findRecord(source, environment, journals);
    return found.kind === 'file' ? found.file : `run ${found.run.runId}`;
  };

  it('is the newest of all records and runs with "last"', async () => {
    await expect(find('last')).rejects.toThrow(
      'there is no run in the journal, and no record: wink run --record makes one.',
    );
    const older = addRecord('demo-20261130-030000-1.jsonl', 10_000);
    expect(await find('last')).toBe(older);
    await addRun(journals.journal(), 'one', { updatedAtMs: 20_000 });
    expect(await find('last')).toBe('run one');
    const newer = addRecord('demo-20261130-030000-2.jsonl', 30_000);
    expect(await find('last')).toBe(newer);
    // Of a run that has not begun.
    writeFileSync(join(folder, 'records', 'demo-20261130-030000-3.jsonl'), '');
    writeFileSync(join(folder, 'records', 'mine.jsonl'), header('mine'));
    expect(await find('last')).toBe(newer);
  });

  it('is that of a file, of a name, or of the beginning of one', async () => {
    const file = addRecord('demo-20261130-030000-1.jsonl', 10_000);
    await addRun(journals.journal(), 'demo', { updatedAtMs: 20_000 });
    await addRun(journals.journal(), 'other-1', { updatedAtMs: 20_000 });
    expect(await find(file)).toBe(file);
    expect(await find('demo')).toBe('run demo');
    expect(await find('demo-20261130-030000-1')).toBe(file);
    expect(await find('demo-2026')).toBe(file);
    expect(await find('othe')).toBe('run other-1');
    await addRun(journals.journal(), 'demo-2', { updatedAtMs: 20_000 });
    await expect(find('demo-2')).resolves.toBe('run demo-2');
    await addRun(journals.journal(), 'demo-2026-x', {});
    await expect(find('demo-2026')).rejects.toThrow(
      '"demo-2026" is the beginning of several names: demo-2026-x, demo-20261130-030000-1.jsonl.',
    );
  });

  it('is only that of a run where a journal is named', async () => {
    const file = addRecord('demo-20261130-030000-1.jsonl', 10_000);
    await addRun(journals.journal('runs.db'), 'one', {});
    expect(await find('last', 'runs.db')).toBe('run one');
    await expect(find(file, 'runs.db')).rejects.toThrow('the journal has no run');
  });

  it('is not found where there is none', async () => {
    await addRun(journals.journal(), 'nightly', {});
    await expect(find('nihgtly')).rejects.toThrow(
      new UsageError(
        'there is no run and no record "nihgtly": wink runs lists the runs of the journal, wink records the records. Did you mean "nightly"?',
      ),
    );
    await expect(find('no/such.jsonl')).rejects.toThrow(
      new UsageError('cannot read "no/such.jsonl": no such file or directory.'),
    );
  });
});
