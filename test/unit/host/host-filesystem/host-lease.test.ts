import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalFencedError, type RunJournal, type RunLease, SessionBusyError } from 'weakincentives';
import type { HostFilesystem } from 'weakincentives/node';
import { memoryJournal } from 'weakincentives/testing';
import type { StagedChanges } from '../../../../src/core/filesystem/index.ts';
import { journalOperations } from '../../../../src/core/runtime/index.ts';
import { hostOperations } from '../../../../src/host/host-filesystem/host-paths.ts';
import { openLeasedWorkspace } from '../../../../src/host/host-filesystem/open-workspace.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const files = { 'a.md': 'a' };
const locked = expect.objectContaining({ name: 'FilesystemError', code: 'filesystem-locked' });
const keyOf = ({ root }: TestFolders): string => `folder:${realpathSync(root)}`;

function lockOf({ stateDirectory }: TestFolders): string {
  const found = readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' });
  const lock = found.find((name) => name.endsWith('/lock'));
  if (lock === undefined) throw new Error('no lock');
  return join(stateDirectory, lock);
}

async function stage(filesystem: HostFilesystem): Promise<StagedChanges> {
  const fork = filesystem.fork();
  await fork.view.write('a.md', 'after');
  const staged = filesystem.stage?.(fork.patch(), { pending: { runId: 'run-1', commit: 1 } });
  fork.dispose();
  if (staged === undefined) throw new Error('the file system stages nothing');
  return staged;
}

/** The lock of a process on another machine, as it is left when the machine is gone. */
async function leaveLock(folders: TestFolders, journal: RunJournal | undefined): Promise<void> {
  const filesystem = await openHost(journal === undefined ? folders : { ...folders, journal });
  const lock = lockOf(folders);
  const text = readFileSync(lock, 'utf8');
  await filesystem[Symbol.asyncDispose]();
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(text), host: 'old-pod' }));
}

/**
 * A journal that gives the lease of a folder to the next one who asks, as one does whose owner hangs past its time, and names the owner that had it. The owner gets no signal: it does not
 * run.
 */
function journalOfHung(): RunJournal {
  const journal = memoryJournal();
  const held = new Map<string, RunLease>();
  return {
    ...journalOperations(journal),
    acquire: async (sessionId) => {
      const former = held.get(sessionId);
      const lease = await journal.acquire(sessionId, former);
      const given = former === undefined ? lease : { ...lease, formerOwner: former.owner };
      held.set(sessionId, given);
      return given;
    },
  };
}

/** Calls with each point and how often it was passed. */
function countedPoints(onPoint: (passed: string) => void): (point: string) => void {
  const counts = new Map<string, number>();
  return (point) => {
    const count = (counts.get(point) ?? 0) + 1;
    counts.set(point, count);
    onPoint(`${point}:${count}`);
  };
}

/** The files of the folder with their contents, without those that a commit has beside them. */
function contentOf({ root }: TestFolders): string {
  const names = readdirSync(root).filter((name) => !name.startsWith('.wink-'));
  return names.map((name) => `${name}: ${readFileSync(join(root, name), 'utf8')}`).join('\n');
}

describe('a folder that is opened with a journal', () => {
  it('is held by a lease, which is released when it is closed', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    const first = await openHost({ ...folders, journal });
    await expect(journal.acquire(keyOf(folders))).rejects.toThrow(SessionBusyError);
    // Another machine has a state folder of its own.
    const other = { ...folders, stateDirectory: `${folders.stateDirectory}-other`, journal };
    await expect(openHost(other)).rejects.toEqual(locked);
    await expect(openHost(other)).rejects.toMatchObject({ cause: expect.any(SessionBusyError) });
    // Reading takes no lease.
    await openHost({ ...other, writeOn: 'never' });
    await first[Symbol.asyncDispose]();
    const second = await openHost(other);
    await second.write('a.md', 'second');
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('second');
  });

  it('is not held any more when it could not be opened', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    const holder = await openHost(folders);
    // The lock of a process without a journal still counts.
    await expect(openHost({ ...folders, journal })).rejects.toEqual(locked);
    await holder[Symbol.asyncDispose]();
    await (await journal.acquire(keyOf(folders))).release();
    await openHost({ ...folders, journal });
  });

  it('takes over the lock of another machine that had the lease', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    await leaveLock(folders, journal);
    await expect(openHost(folders)).rejects.toEqual(locked);
    const filesystem = await openHost({ ...folders, journal });
    await filesystem.write('a.md', 'mine');
    // It is an ordinary lock for those without a journal.
    await expect(openHost(folders)).rejects.toEqual(locked);
  });

  it('leaves the lock of another machine that had none', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    await leaveLock(folders, undefined);
    await expect(openHost({ ...folders, journal })).rejects.toMatchObject({
      code: 'filesystem-locked',
      details: { host: 'old-pod' },
    });
  });

  it('takes over the lock of a process that has lost the lease and lives on', async () => {
    const folders = testFolders(files);
    const journal = journalOfHung();
    const hung = await openHost({ ...folders, journal });
    const next = await openHost({ ...folders, journal });
    await next.write('a.md', 'next');
    await expect(hung.write('a.md', 'hung')).rejects.toEqual(locked);
    // What it closes now is the lock of the next one no more.
    await hung[Symbol.asyncDispose]();
    await expect(openHost(folders)).rejects.toEqual(locked);
    await next[Symbol.asyncDispose]();
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('next');
    await openHost(folders);
  });

  it('leaves the lock of a process whose lease is one of another journal', async () => {
    const folders = testFolders(files);
    await openHost({ ...folders, journal: journalOfHung() });
    const other = journalOfHung();
    const key = keyOf(folders);
    await other.acquire(key);
    // The lease is given, and the owner before is not the one that has the lock.
    await expect(openHost({ ...folders, journal: other })).rejects.toMatchObject({
      code: 'filesystem-locked',
      details: { pid: process.pid },
    });
  });

  it('leaves the lock of a live process without a journal to it', async () => {
    const folders = testFolders(files);
    const journal = journalOfHung();
    await journal.acquire(keyOf(folders));
    await openHost(folders);
    await expect(openHost({ ...folders, journal })).rejects.toMatchObject({ details: { pid: process.pid } });
  });

  it('is not written any more once the lease is lost', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    const filesystem = await openHost({ ...folders, journal });
    const snapshot = await filesystem.snapshot();
    const fork = filesystem.fork();
    await fork.view.write('a.md', 'fork');
    await filesystem.write('b.md', 'b');
    await journal.revoke(keyOf(folders));
    await expect(filesystem.write('a.md', 'late')).rejects.toEqual(locked);
    await expect(filesystem.write('a.md', 'late')).rejects.toMatchObject({
      cause: expect.any(JournalFencedError),
    });
    await expect(filesystem.restore(snapshot)).rejects.toEqual(locked);
    expect(() => filesystem.apply(fork.patch())).toThrow(locked);
    expect(() => filesystem.stage?.(fork.patch())).toThrow(locked);
    expect(() => filesystem['~land']?.([])).toThrow(locked);
    expect((await filesystem.read('a.md')).text).toBe('a');
    expect(readdirSync(folders.root).sort()).toEqual(['a.md', 'b.md']);
  });

  it('is not flushed any more once the lease is lost', async () => {
    const folders = testFolders(files);
    const journal = memoryJournal();
    const filesystem = await openHost({ ...folders, journal, writeOn: 'flush' });
    await filesystem.write('a.md', 'pending');
    await journal.revoke(keyOf(folders));
    expect(() => filesystem.flush()).toThrow(locked);
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('a');
  });

  for (const end of ['land', 'discard', 'close'] as const)
    it(`leaves a staged commit to the next owner when the lease is lost (${end})`, async () => {
      const folders = testFolders(files);
      const journal = memoryJournal();
      const filesystem = await openHost({ ...folders, journal });
      const staged = await stage(filesystem);
      await journal.revoke(keyOf(folders));
      if (end === 'land') expect(() => staged.land()).toThrow(locked);
      if (end === 'discard') staged.discard();
      await filesystem[Symbol.asyncDispose]();
      // A file of this commit alone is of no use to anyone.
      expect(readdirSync(folders.root)).toEqual(['a.md']);
      const next = await openHost({ ...folders, journal });
      expect(next.interruptedCommits).toEqual([{ outcome: 'restored', paths: ['a.md'], runId: 'run-1' }]);
      expect(next.pendingCommits()).toEqual([{ runId: 'run-1', commit: 1, paths: ['a.md'] }]);
      expect(readdirSync(folders.root)).toEqual(['a.md']);
      expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('a');
    });

  it.each(['step:1', 'do:1', 'swap:1', 'step:2', 'do:2', 'done:1'])(
    'writes nothing more once another owner may write to it (%s)',
    async (point) => {
      const folders = testFolders({ 'a.md': 'a', 'b.md': 'b' });
      const journal = memoryJournal();
      let atPoint: string | undefined;
      const { workspace, lock, lease } = await openLeasedWorkspace(
        { ...folders, journal },
        countedPoints((passed) => {
          if (passed !== point) return;
          // The process was stopped here for longer than its lease.
          void journal.revoke(keyOf(folders));
          writeFileSync(join(folders.root, 'b.md'), 'by the next owner');
          atPoint = contentOf(folders);
        }),
      );
      const { cell } = workspace.fork(workspace.takeSnapshot(), false);
      const operations = hostOperations(cell);
      operations.write('a.md', 'A', undefined);
      operations.write('c.md', 'C', undefined);
      expect(() => workspace.stage(cell.patch()).land()).toThrow(locked);
      expect(atPoint).toBeDefined();
      expect(contentOf(folders)).toBe(atPoint);
      workspace.dispose();
      lock.dispose();
      await lease?.release();
      await openHost({ ...folders, journal });
      expect(contentOf(folders)).toBe('a.md: a\nb.md: by the next owner');
    },
  );

  it('fails with the error of a journal that cannot be used, and refuses what is no journal', async () => {
    const folders = testFolders(files);
    const failure = new Error('no disk');
    const broken: RunJournal = { ...memoryJournal(), acquire: () => Promise.reject(failure) };
    await expect(openHost({ ...folders, journal: broken })).rejects.toBe(failure);
    // Untyped code passes what it likes.
    const journal = 'journal.db' as unknown as RunJournal;
    await expect(openHost({ ...folders, journal })).rejects.toMatchObject({ code: 'argument-invalid' });
  });
});
