import { beforeEach, describe, expect, it } from 'vitest';
import { JournalError, MissingPeerError } from 'weakincentives';
import {
  describeInterruptedRuns,
  type InterruptedRunsOptions,
} from '../../../../src/cli/journal/interrupted-runs.ts';
import type { Journals } from '../../../../src/cli/journal/open-journal.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { addRun, MemoryJournals } from './journals.ts';

const workspace = '/work';
const info = {
  call: ['run', '/a.ts'],
  process: { host: 'elsewhere', pid: 1, startedAt: '' },
  rows: 0,
  lease: { owner: 'a', epoch: 1 },
};
let journals: MemoryJournals;

const described = (options: Partial<InterruptedRunsOptions> = {}): Promise<readonly string[]> =>
  describeInterruptedRuns({ workspace, pending: [], journalNames: undefined, journals, ...options });

/** Journals that cannot be opened. */
function failing(problem: Error): Journals {
  const open = async () => {
    throw problem;
  };
  return { open, openExisting: open, pathsOf: () => ({ journal: undefined, blobs: undefined }) };
}

beforeEach(() => {
  journals = new MemoryJournals();
});

describe('describeInterruptedRuns', () => {
  it('names the runs on the folder that have not ended and have no owner', async () => {
    const journal = journals.journal();
    await addRun(journal, 'killed', { workspace, info, updatedAtMs: 2 });
    await addRun(journal, 'undone', { workspace, info, updatedAtMs: 1, commits: 2 });
    await addRun(journal, 'of-others', { workspace });
    const written = { ...info, call: [...info.call, '--apply=end'], isApplied: true };
    await addRun(journal, 'ended', { workspace, info, status: 'finished' });
    await addRun(journal, 'written', { workspace, info: written, status: 'finished' });
    const lost = { ...written, isApplied: false };
    await addRun(journal, 'unwritten', { workspace, info: lost, status: 'finished', updatedAtMs: 3 });
    await addRun(journal, 'reading', { workspace, info: lost, status: 'finished', commits: 0 });
    await addRun(journal, 'elsewhere', { workspace: '/home', info });
    await addRun(journal, 'running', { workspace, info });
    await journal.acquire('s-running');
    const pending = [{ runId: 'undone', commit: 2, paths: ['a'] }];
    expect(await described({ pending })).toEqual([
      'run unwritten has ended, and its changes were not written to the folder: wink resume unwritten, or wink runs prune unwritten',
      'run killed was interrupted after 1 commit: wink resume killed, or wink runs prune killed',
      'run undone was interrupted after 2 commits, the last of which is not in the folder: wink resume undone, or wink runs settle undone',
      '1 more run on this folder can continue: wink runs',
    ]);
    expect(journals.opened).toBe(0);
  });

  it('says who can resume a run that another program has begun', async () => {
    await addRun(journals.journal(), 'of-others', { workspace });
    expect(await described()).toEqual([
      'run of-others was interrupted after 1 commit; the program that began it can resume it; or wink runs prune of-others',
    ]);
  });

  it('names three at most, with the journal that they are in', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await addRun(journals.journal('j.db'), name, { workspace, info });
    const lines = await described({ journalNames: { journal: 'j.db', blobs: undefined } });
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(
      'run a was interrupted after 1 commit: wink resume a --journal j.db, or wink runs prune a --journal j.db',
    );
    expect(lines[3]).toBe('2 more runs on this folder can continue: wink runs --journal j.db');
  });

  it('reads a journal that is open already, and leaves it open', async () => {
    await addRun(journals.journal(), 'killed', { workspace, info });
    const journal = await journals.open(undefined);
    expect(await described({ journal, journals: failing(new TypeError('opened twice')) })).toHaveLength(1);
    expect(journals.opened).toBe(1);
  });

  it('says nothing where there is no journal, and where this Node could not resume anything', async () => {
    expect(await described()).toEqual([]);
    const missing = new UsageError('no.', { cause: new MissingPeerError('no node:sqlite') });
    expect(await described({ journals: failing(missing) })).toEqual([]);
  });

  it('says that a journal cannot be read, and continues', async () => {
    const locked = new JournalError('journal-failed', 'The journal is locked.');
    expect(await described({ journals: failing(locked) })).toEqual([
      'the journal of durable runs cannot be read: The journal is locked',
    ]);
    const unusable = new UsageError('the journal "x" cannot be used: it is a directory.');
    expect(await described({ journals: failing(unusable) })).toEqual([
      'the journal "x" cannot be used: it is a directory',
    ]);
    const bug = new TypeError('a bug');
    await expect(described({ journals: failing(bug) })).rejects.toBe(bug);
  });
});
