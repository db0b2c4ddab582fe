import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFilesystem } from 'weakincentives/node';
import type { LandableChange, StagedChanges } from '../../../../src/core/filesystem/index.ts';
import { landableChanges } from '../../../support/landable-changes.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';
import { killLanding } from './killed-landing.ts';

const files = { 'a.md': 'a', 'run.sh': 'run' };
const paths = ['a.md', 'bin.sh', 'run.sh'];
const mark = { runId: 'run-1', commit: 3, paths };

/** What the killed process does, recorded. */
async function recorded(filesystem: HostFilesystem): Promise<readonly LandableChange[]> {
  const fork = filesystem.fork();
  await fork.view.move('run.sh', 'bin.sh');
  await fork.view.write('a.md', 'after');
  const changes = landableChanges(fork.changes());
  fork.dispose();
  return changes;
}

async function stage(filesystem: HostFilesystem): Promise<StagedChanges> {
  const fork = filesystem.fork();
  await fork.view.write('a.md', 'after');
  const staged = filesystem.stage?.(fork.patch(), { pending: { runId: 'run-1', commit: 3 } });
  fork.dispose();
  if (staged === undefined) throw new Error('the file system stages nothing');
  return staged;
}

const marksIn = ({ stateDirectory }: TestFolders): readonly string[] =>
  readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('pending-'),
  );

const written = ({ root }: TestFolders): string => readFileSync(join(root, 'a.md'), 'utf8');

describe('a commit of a run whose process was killed', () => {
  for (const failpoint of ['staged', 'swap', 'done'])
    it(`is undone, and pending until the run is settled (killed at ${failpoint})`, async () => {
      const folders = testFolders(files);
      await killLanding(folders, failpoint, 'run-1');
      const reader = await openHost({ ...folders, writeOn: 'never' });
      expect(reader.interruptedCommits).toEqual([{ outcome: 'left', paths, runId: 'run-1' }]);
      const first = await openHost(folders);
      expect(first.interruptedCommits).toEqual([{ outcome: 'restored', paths, runId: 'run-1' }]);
      expect(first.pendingCommits()).toEqual([mark]);
      expect(reader.pendingCommits()).toEqual([mark]);
      expect(written(folders)).toBe('a');
      await first[Symbol.asyncDispose]();
      // Others work in the folder; it stays pending.
      const second = await openHost(folders);
      await second.write('other.md', 'other');
      expect(second.interruptedCommits).toEqual([]);
      expect(second.pendingCommits()).toEqual([mark]);
      const changes = await recorded(second);
      second['~land']?.([], 'run-2');
      expect(second.pendingCommits()).toEqual([mark]);
      expect(second['~land']?.(changes, 'run-1')).toMatchObject({ landed: paths, outside: [] });
      expect(second.pendingCommits()).toEqual([]);
      expect(written(folders)).toBe('after');
      await second[Symbol.asyncDispose]();
      expect((await openHost(folders)).pendingCommits()).toEqual([]);
      expect(marksIn(folders)).toEqual([]);
    });

  it('is not pending when nobody can have decided it', async () => {
    const folders = testFolders(files);
    await killLanding(folders, 'ready', 'run-1');
    const filesystem = await openHost(folders);
    expect(filesystem.interruptedCommits).toEqual([{ outcome: 'restored', paths, runId: 'run-1' }]);
    expect(filesystem.pendingCommits()).toEqual([]);
  });

  it('is not pending when it is in the folder', async () => {
    const folders = testFolders(files);
    await killLanding(folders, 'clear', 'run-1');
    const filesystem = await openHost(folders);
    expect(filesystem.interruptedCommits).toEqual([{ outcome: 'completed', paths, runId: 'run-1' }]);
    expect(filesystem.pendingCommits()).toEqual([]);
    expect(written(folders)).toBe('after');
  });

  it('is pending also when the process that undoes it is killed', async () => {
    const folders = testFolders(files);
    await killLanding(folders, 'done', 'run-1');
    for (const failpoint of ['undo', 'undone', 'marked']) await killLanding(folders, failpoint);
    expect((await openHost(folders)).pendingCommits()).toEqual([mark]);
  });

  it('is none of a run when it has no mark', async () => {
    const folders = testFolders(files);
    await killLanding(folders, 'staged');
    const filesystem = await openHost(folders);
    expect(filesystem.interruptedCommits).toEqual([{ outcome: 'restored', paths }]);
    expect(filesystem.pendingCommits()).toEqual([]);
  });
});

describe('staged changes of a run', () => {
  const own = [{ runId: 'run-1', commit: 3, paths: ['a.md'] }];

  it('leave no mark when they land, or are discarded because they were not decided', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    (await stage(filesystem)).discard();
    (await stage(filesystem)).land();
    expect(filesystem.pendingCommits()).toEqual([]);
    expect(marksIn(folders)).toEqual([]);
  });

  it('leave a mark when they may have been decided and do not land', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const staged = await stage(filesystem);
    writeFileSync(join(folders.root, 'a.md'), 'theirs');
    expect(() => staged.land()).toThrow(expect.objectContaining({ code: 'file-changed-on-disk' }));
    expect(filesystem.pendingCommits()).toEqual(own);
    filesystem['~land']?.([], 'run-1');
    expect(filesystem.pendingCommits()).toEqual([]);
    (await stage(filesystem)).discard({ isUndecided: true });
    expect(filesystem.pendingCommits()).toEqual(own);
    filesystem['~land']?.([], 'run-1');
    await stage(filesystem);
    await filesystem[Symbol.asyncDispose]();
    expect((await openHost(folders)).pendingCommits()).toEqual(own);
    expect(written(folders)).toBe('theirs');
  });

  it('are not pending for another folder at the same path, and a damaged mark counts for nothing', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    (await stage(filesystem)).discard({ isUndecided: true });
    await filesystem[Symbol.asyncDispose]();
    renameSync(folders.root, `${folders.root}-moved`);
    mkdirSync(folders.root);
    const other = await openHost(folders);
    expect(other.pendingCommits()).toEqual([]);
    await other[Symbol.asyncDispose]();
    renameSync(folders.root, `${folders.root}-other`);
    renameSync(`${folders.root}-moved`, folders.root);
    const again = await openHost(folders);
    expect(again.pendingCommits()).toEqual(own);
    for (const name of marksIn(folders)) writeFileSync(join(folders.stateDirectory, name), '{"version":1');
    expect(again.pendingCommits()).toEqual([]);
  });
});
