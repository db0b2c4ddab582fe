import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Filesystem } from 'weakincentives';
import type { HostFilesystem } from 'weakincentives/node';
import type { LandableChange, LandingReport } from '../../../../src/core/filesystem/index.ts';
import { landableChanges } from '../../../support/landable-changes.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';
import { killLanding } from './killed-landing.ts';

function land(filesystem: HostFilesystem, changes: readonly LandableChange[]): LandingReport {
  const report = filesystem['~land']?.(changes);
  if (report === undefined) throw new Error('the file system lands nothing');
  return report;
}

/** What a call does, recorded and not done. */
async function recorded(
  filesystem: HostFilesystem,
  act: (view: Filesystem) => Promise<unknown>,
): Promise<readonly LandableChange[]> {
  const fork = filesystem.fork();
  await act(fork.view);
  const changes = landableChanges(fork.changes());
  fork.dispose();
  return changes;
}

const files = { 'a.md': 'a', 'b.md': 'b', 'run.sh': 'run', 'old/x': 'x', 'old/y': 'y' };
const text = ({ root }: TestFolders, path: string): string => readFileSync(join(root, path), 'utf8');

describe('landing a recorded commit', () => {
  it('writes what is as before, counts what is as after, and leaves the rest', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      for (const path of ['a.md', 'b.md', 'run.sh', 'new/one', 'new/two']) await view.write(path, 'after');
      await view.remove('old', { recursive: true });
    });
    writeFileSync(join(folders.root, 'b.md'), 'after');
    writeFileSync(join(folders.root, 'run.sh'), 'theirs');
    mkdirSync(join(folders.root, 'new'));
    writeFileSync(join(folders.root, 'new/two'), 'theirs');
    rmSync(join(folders.root, 'old/x'));
    expect(land(filesystem, changes)).toEqual({
      landed: ['a.md', 'new/one', 'old/y'],
      present: ['b.md', 'old/x'],
      outside: ['new/two', 'run.sh'],
    });
    expect(['a.md', 'run.sh', 'new/one', 'new/two'].map((path) => text(folders, path))).toEqual([
      'after',
      'theirs',
      'after',
      'theirs',
    ]);
    expect(existsSync(join(folders.root, 'old'))).toBe(false);
  });

  it('leaves a directory in which another process has put something, and names it', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, (view) => view.remove('old', { recursive: true }));
    writeFileSync(join(folders.root, 'old/theirs'), 'theirs');
    expect(land(filesystem, changes)).toEqual({ landed: ['old/x', 'old/y'], present: [], outside: ['old'] });
    expect(readdirSync(join(folders.root, 'old'))).toEqual(['theirs']);
  });

  it('keeps a directory that the call has only emptied', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      await view.remove('old/x');
      await view.remove('old/y');
    });
    land(filesystem, changes);
    expect(readdirSync(join(folders.root, 'old'))).toEqual([]);
  });

  it('puts a file in the place of a directory only when nothing else is in it', async () => {
    const act = async (view: Filesystem): Promise<void> => {
      await view.remove('old', { recursive: true });
      await view.write('old', 'a file');
    };
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, act);
    writeFileSync(join(folders.root, 'old/theirs'), 'theirs');
    expect(land(filesystem, changes)).toEqual({ landed: ['old/x', 'old/y'], present: [], outside: ['old'] });
    rmSync(join(folders.root, 'old/theirs'));
    writeFileSync(join(folders.root, 'old/x'), 'x');
    expect(land(filesystem, changes)).toEqual({ landed: ['old', 'old/x'], present: ['old/y'], outside: [] });
    expect(text(folders, 'old')).toBe('a file');
  });

  it('never writes through a link or a file that another process has put on the way', async () => {
    const folders = testFolders({ ...files, 'elsewhere/keep': 'keep' });
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      await view.write('old/new', 'new');
      await view.write('fresh/new', 'new');
    });
    rmSync(join(folders.root, 'old'), { recursive: true });
    symlinkSync('elsewhere', join(folders.root, 'old'));
    writeFileSync(join(folders.root, 'fresh'), 'a file');
    expect(land(filesystem, changes)).toEqual({ landed: [], present: [], outside: ['fresh/new', 'old/new'] });
    expect(readdirSync(join(folders.root, 'elsewhere'))).toEqual(['keep']);
  });

  it('gives files their permissions, moved or written', async () => {
    const folders = testFolders(files);
    chmodSync(join(folders.root, 'run.sh'), 0o755);
    chmodSync(join(folders.root, 'a.md'), 0o600);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      await view.move('run.sh', 'bin/run');
      await view.write('a.md', 'after');
      await view.remove('b.md');
    });
    const moved = statSync(join(folders.root, 'run.sh')).ino;
    land(filesystem, changes);
    // It is the same file: nothing was written that could be renamed.
    expect(statSync(join(folders.root, 'bin/run')).ino).toBe(moved);
    const modes = ['bin/run', 'a.md'].map((path) => statSync(join(folders.root, path)).mode & 0o7777);
    expect(modes).toEqual([0o755, 0o600]);
    // Without its origin, it is written from the row.
    rmSync(join(folders.root, 'bin'), { recursive: true });
    expect(land(filesystem, changes)).toMatchObject({ landed: ['bin/run'], outside: [] });
    expect(statSync(join(folders.root, 'bin/run')).mode & 0o7777).toBe(0o755);
  });

  it('sets permissions that are all that a move has changed, and no others', async () => {
    const folders = testFolders({ 'a.sh': 'same', 'b.sh': 'same' });
    chmodSync(join(folders.root, 'b.sh'), 0o755);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      await view.remove('a.sh');
      await view.move('b.sh', 'a.sh');
    });
    expect(land(filesystem, changes)).toMatchObject({ landed: ['a.sh', 'b.sh'] });
    expect(statSync(join(folders.root, 'a.sh')).mode & 0o7777).toBe(0o755);
  });

  it('makes links again, and replaces them', async () => {
    const folders = testFolders({ ...files, 'deep/b.md': 'b' });
    symlinkSync('../a.md', join(folders.root, 'deep/link'));
    symlinkSync('nowhere', join(folders.root, 'dangling'));
    symlinkSync('old', join(folders.root, 'folder'));
    const copy = `${folders.root}-copy`;
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, async (view) => {
      await view.move('deep/link', 'moved');
      await view.move('folder', 'deep/folder');
      await view.remove('dangling');
      await view.write('dangling', 'a file');
    });
    cpSync(folders.root, copy, { recursive: true, verbatimSymlinks: true });
    expect(land(filesystem, changes)).toMatchObject({ present: [], outside: [] });
    const links = ['moved', 'deep/folder'].map((path) => readlinkSync(join(folders.root, path)));
    expect(links).toEqual(['a.md', '../old']);
    expect(text(folders, 'dangling')).toBe('a file');
    expect(land(filesystem, changes)).toMatchObject({ landed: [], outside: [] });
    // A link that another process has turned elsewhere is not the one that the call replaced.
    const other = await openHost({ ...folders, root: copy });
    rmSync(join(copy, 'dangling'));
    symlinkSync('elsewhere', join(copy, 'dangling'));
    expect(land(other, changes).outside).toEqual(['dangling']);
    expect(readlinkSync(join(copy, 'dangling'))).toBe('elsewhere');
  });

  it('writes nothing when a content is not the recorded one, or a path is none that a commit writes', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const [change] = await recorded(filesystem, (view) => view.write('a.md', 'after'));
    if (change?.after === undefined) throw new Error('nothing was recorded');
    const after = { ...change.after, data: () => new TextEncoder().encode('other') };
    expect(() => land(filesystem, [{ ...change, after }])).toThrow(
      expect.objectContaining({ code: 'argument-invalid' }),
    );
    for (const path of [
      '../out',
      '.',
      'a//b',
      '.wink-0-n0.tmp/../x',
      'x/.wink-00000000-0000-4000-8000-000000000000-n0.tmp',
    ])
      expect(() => land(filesystem, [{ ...change, path }]), path).toThrow();
    expect(text(folders, 'a.md')).toBe('a');
  });

  it('leaves a content of which nobody knows what it was', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const [change] = await recorded(filesystem, (view) => view.write('a.md', 'after'));
    if (change?.after === undefined || change.before === undefined) throw new Error('nothing was recorded');
    const unknown = { ...change, before: { ...change.before, hash: '' } };
    expect(land(filesystem, [unknown])).toEqual({ landed: [], present: [], outside: ['a.md'] });
    const gone = { ...change, after: { ...change.after, hash: '' } };
    expect(land(filesystem, [gone])).toEqual({ landed: [], present: [], outside: ['a.md'] });
  });

  it('does not write Git directories, unless that is allowed', async () => {
    const folders = testFolders({ '.git/config': 'x' });
    const open = await openHost({ ...folders, allowGitWrites: true });
    const changes = await recorded(open, (view) => view.write('.git/config', 'y'));
    await open[Symbol.asyncDispose]();
    const closed = await openHost(folders);
    expect(land(closed, changes)).toEqual({ landed: [], present: [], outside: ['.git/config'] });
    await closed[Symbol.asyncDispose]();
    expect(land(await openHost({ ...folders, allowGitWrites: true }), changes).landed).toEqual([
      '.git/config',
    ]);
  });

  it('exists only where changes are written at once', async () => {
    for (const writeOn of ['flush', 'never'] as const)
      expect((await openHost({ ...testFolders(files), writeOn }))['~land']).toBeUndefined();
  });
});

describe('what a killed commit left in a folder when its journal is gone', () => {
  const temporary = ({ root }: TestFolders): readonly string[] =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.wink-'));

  for (const failpoint of ['staged', 'swap', 'done'])
    it(`is cleared, and the commit is whole with its permissions (killed at ${failpoint})`, async () => {
      const folders = testFolders(files);
      chmodSync(join(folders.root, 'run.sh'), 0o755);
      const before = await openHost(folders);
      const changes = await recorded(before, async (view) => {
        await view.move('run.sh', 'bin.sh');
        await view.write('a.md', 'after');
      });
      await before[Symbol.asyncDispose]();
      await killLanding(folders, failpoint);
      expect(temporary(folders)).not.toEqual([]);
      // Another container, which has the folder only.
      const mine = '.wink-notes.tmp';
      writeFileSync(join(folders.root, mine), 'mine');
      const filesystem = await openHost({ ...folders, stateDirectory: `${folders.stateDirectory}-other` });
      const report = land(filesystem, changes);
      expect(report.outside).toEqual([]);
      expect([...report.landed, ...report.present].sort()).toEqual(['a.md', 'bin.sh', 'run.sh']);
      expect(text(folders, 'a.md')).toBe('after');
      expect(text(folders, 'bin.sh')).toBe('run');
      expect(statSync(join(folders.root, 'bin.sh')).mode & 0o7777).toBe(0o755);
      expect(existsSync(join(folders.root, 'run.sh'))).toBe(false);
      expect(temporary(folders)).toEqual([mine]);
    });

  it('stays when it may be the only one of its kind, or belongs to a commit that a journal knows', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, (view) => view.write('a.md', 'after'));
    const [id, known] = ['6f1ed002-ab5e-4ae6-8c52-7b3a0a4a3b2c', '0e8f2a52-57d9-4f0b-9f3a-0b6a8a0c9a11'];
    const names = [`.wink-${id}-t0.tmp`, `.wink-${id}-b1.tmp`, `.wink-${known}-n0.tmp`];
    for (const name of names) writeFileSync(join(folders.root, name), 'unknown');
    const [workspace = ''] = readdirSync(join(folders.stateDirectory, 'workspaces'));
    writeFileSync(join(folders.stateDirectory, 'workspaces', workspace, `commit-${known}.jsonl`), '');
    const copies = [`.wink-${id}-n0.tmp`, `.wink-${id}-b2.tmp`];
    for (const name of copies) writeFileSync(join(folders.root, name), 'a');
    expect(land(filesystem, changes)).toEqual({
      landed: ['a.md'],
      present: [],
      outside: [`.wink-${id}-b1.tmp`, `.wink-${id}-t0.tmp`],
    });
    expect(temporary(folders).toSorted()).toEqual([...names].sort());
  });

  it('is cleared when it is a directory whose files and links rows have, and stays when one of them is unknown', async () => {
    const folders = testFolders(files);
    symlinkSync('../a.md', join(folders.root, 'old', 'link'));
    const filesystem = await openHost(folders);
    const changes = await recorded(filesystem, (view) =>
      view.remove('old', { recursive: true }).then(() => undefined),
    );
    const [known = '', unknown = '', linked = ''] = [
      '6f1ed002-ab5e-4ae6-8c52-7b3a0a4a3b2c',
      '0e8f2a52-57d9-4f0b-9f3a-0b6a8a0c9a11',
      '2d0b7f7e-3c55-4e0a-8a0e-5b1f3c9d7e42',
    ].map((id) => `.wink-${id}-t0.tmp`);
    for (const name of [known, unknown, linked])
      cpSync(join(folders.root, 'old'), join(folders.root, name), {
        recursive: true,
        verbatimSymlinks: true,
      });
    writeFileSync(join(folders.root, unknown, 'theirs'), 'theirs');
    symlinkSync('theirs', join(folders.root, linked, 'another'));
    expect(land(filesystem, changes).outside).toEqual([unknown, linked].toSorted());
    expect(existsSync(join(folders.root, 'old'))).toBe(false);
    expect(temporary(folders).filter((name) => !name.includes('/'))).toEqual([unknown, linked].toSorted());
  });
});
