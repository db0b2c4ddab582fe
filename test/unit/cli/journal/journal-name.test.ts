import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  journalOption,
  placeOf,
  refuseJournalInside,
  shownName,
} from '../../../../src/cli/journal/journal-name.ts';
import { journalsOf } from '../../../../src/cli/journal/open-journal.ts';

const named = (journal: string | undefined) => ({ journal, blobs: undefined });

describe('the name of a journal', () => {
  it('is a file, or the address of a database', () => {
    expect(placeOf('runs.db')).toEqual({ kind: 'file', path: 'runs.db' });
    expect(placeOf('postgres:runs')).toEqual({ kind: 'file', path: 'postgres:runs' });
    for (const address of ['postgres://db/runs', 'PostgreSQL://user:word@db:5432/runs?sslmode=require']) {
      expect(placeOf(address)).toEqual({ kind: 'postgres', address });
    }
  });

  it.each(['mysql://db/runs', 'redis://db', 'file:///runs.db'])('is not %s', (name) => {
    expect(() => placeOf(name)).toThrow(/a file or a database "postgres:\/\/USER@HOST\/DATABASE"/);
  });

  it('is refused without its password when it cannot be read', () => {
    const address = 'postgres://user:very-secret@[db/runs';
    expect(() => placeOf(address)).toThrow(/cannot be read/);
    expect(() => placeOf(address)).not.toThrow(/very-secret/);
    expect(shownName(address)).toBe('postgres://…');
  });

  it('is shown without a password', () => {
    expect(shownName('postgres://user:very-secret@db:5432/runs')).toBe('postgres://user@db:5432/runs');
    expect(shownName('postgres://db/runs?user=a&password=very-secret')).toBe('postgres://db/runs?user=a');
    expect(shownName('runs.db')).toBe('runs.db');
    const address = { journal: 'postgres://user:very-secret@db/runs', blobs: undefined };
    expect(journalOption(address)).toBe(' --journal postgres://user@db/runs');
    expect(journalOption({ ...address, blobs: 'my blobs' })).toBe(
      " --journal postgres://user@db/runs --blobs 'my blobs'",
    );
    expect(journalOption({ journal: undefined, blobs: 'store.mjs' })).toBe(' --blobs store.mjs');
    expect(journalOption(undefined)).toBe('');
  });

  it('is that of the environment where none is given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-journal-name-'));
    const file = join(folder, 'absent.db');
    const journals = journalsOf({ variables: { WINK_JOURNAL: file } });
    expect(journals.pathsOf(undefined)).toEqual({ journal: file, blobs: undefined });
    expect(journals.pathsOf(named('other.db')).journal).toBe('other.db');
    // It is made by the first run.
    expect(await journals.openExisting(undefined)).toBeUndefined();
    await expect(journals.openExisting(named(file))).rejects.toThrow(/does not exist/);
    expect(journalsOf({ variables: { WINK_JOURNAL: '' } }).pathsOf(undefined).journal).toMatch(
      /journal\.db$/,
    );
    expect(
      journalsOf({ variables: { WINK_JOURNAL: 'postgres://db/runs' } }).pathsOf(undefined).journal,
    ).toBeUndefined();
    await expect(journalsOf({ variables: { WINK_JOURNAL: 'mysql://db' } }).open(undefined)).rejects.toThrow(
      /a file or a database/,
    );
  });

  it('is refused inside the folder that an agent works on, wherever it comes from', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-journal-name-'));
    const file = join(folder, 'runs.db');
    const [paths, nowhere] = [named(file), named(undefined)];
    const database = named('postgres://db/runs');
    expect(() => refuseJournalInside(paths, paths, folder)).toThrow(/would be inside the folder/);
    expect(() => refuseJournalInside(undefined, paths, folder)).toThrow(/would be inside the folder/);
    expect(() => refuseJournalInside(database, nowhere, folder)).not.toThrow();
    expect(() => refuseJournalInside(paths, paths, undefined)).not.toThrow();
    const blobs = { journal: undefined, blobs: join(folder, 'blobs') };
    expect(() => refuseJournalInside(database, blobs, folder)).toThrow(/folder of blobs .* would be inside/);
    expect(() => refuseJournalInside(database, blobs, join(folder, 'other'))).not.toThrow();
  });
});
