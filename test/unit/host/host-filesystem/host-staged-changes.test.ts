import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostFilesystem } from 'weakincentives/node';
import type { FilePatch, StagedChanges } from '../../../../src/core/filesystem/index.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const files = { 'notes.md': 'notes', 'src/a.ts': 'a', 'src/b.ts': 'b', 'old/x': 'x' };

/** The files below a folder, temporary ones included, and what they contain. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (lstatSync(join(folder, name)).isFile()) found[name] = readFileSync(join(folder, name), 'utf8');
  }
  return found;
}

function journalsOf({ stateDirectory }: TestFolders): readonly string[] {
  return readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('commit-'),
  );
}

async function patchOf(filesystem: HostFilesystem): Promise<FilePatch> {
  const fork = filesystem.fork();
  await fork.view.write('notes.md', 'mine');
  await fork.view.write('made/new.md', 'new');
  await fork.view.move('src', 'moved');
  await fork.view.remove('old', { recursive: true });
  const patch = fork.patch();
  fork.dispose();
  return patch;
}

const after = { 'notes.md': 'mine', 'made/new.md': 'new', 'moved/a.ts': 'a', 'moved/b.ts': 'b' };

function stage(filesystem: HostFilesystem, patch: FilePatch): StagedChanges {
  if (filesystem.stage === undefined) throw new Error('the file system stages nothing');
  return filesystem.stage(patch);
}

async function setUp(): Promise<{
  readonly folders: TestFolders;
  readonly filesystem: HostFilesystem;
  readonly staged: StagedChanges;
}> {
  const folders = testFolders(files);
  const filesystem = await openHost(folders);
  return { folders, filesystem, staged: stage(filesystem, await patchOf(filesystem)) };
}

const busy = expect.objectContaining({ name: 'FilesystemError', code: 'filesystem-busy' });
const changed = expect.objectContaining({ name: 'FilesystemError', code: 'file-changed-on-disk' });

describe('staged changes', () => {
  it('are seen by nobody until they land', async () => {
    const { folders, filesystem, staged } = await setUp();
    expect(filesOf(folders.root)).toMatchObject(files);
    expect((await filesystem.list()).map(({ name }) => name)).toEqual(['notes.md', 'old', 'src']);
    expect((await filesystem.read('notes.md')).text).toBe('notes');
    const early = filesystem.fork();
    expect((await early.view.read('src/a.ts')).text).toBe('a');
    staged.land();
    expect(filesOf(folders.root)).toEqual(after);
    expect((await filesystem.read('notes.md')).text).toBe('mine');
    // A fork made in between keeps what it has not read yet, and knows what changed.
    expect((await early.view.read('notes.md')).text).toBe('notes');
    expect((await early.view.read('src/b.ts')).text).toBe('b');
    expect([...early.conflicts()].sort()).toEqual(['file notes.md', 'file src/a.ts', 'file src/b.ts']);
    expect(journalsOf(folders)).toEqual([]);
  });

  it('leave no file when they are discarded, and the next ones can be staged', async () => {
    const { folders, filesystem, staged } = await setUp();
    staged.discard();
    expect(filesOf(folders.root)).toEqual(files);
    expect(journalsOf(folders)).toEqual([]);
    staged.discard();
    expect(() => staged.land()).toThrow(expect.objectContaining({ code: 'argument-invalid' }));
    stage(filesystem, await patchOf(filesystem)).land();
    expect(filesOf(folders.root)).toEqual(after);
  });

  it('land once, and a discard afterwards does nothing', async () => {
    const { folders, staged } = await setUp();
    staged.land();
    staged.discard();
    expect(() => staged.land()).toThrow(expect.objectContaining({ code: 'argument-invalid' }));
    expect(filesOf(folders.root)).toEqual(after);
  });

  it('are discarded when the folder is closed', async () => {
    const { folders, filesystem, staged } = await setUp();
    await filesystem[Symbol.asyncDispose]();
    expect(filesOf(folders.root)).toEqual(files);
    expect(journalsOf(folders)).toEqual([]);
    staged.discard();
  });

  it('keep every other write out until they land', async () => {
    const { folders, filesystem, staged } = await setUp();
    const snapshot = await filesystem.snapshot();
    const fork = filesystem.fork();
    await fork.view.write('notes.md', 'theirs');
    expect(() => stage(filesystem, fork.patch())).toThrow(busy);
    expect(() => filesystem.apply(fork.patch())).toThrow(busy);
    await expect(filesystem.write('notes.md', 'direct')).rejects.toEqual(busy);
    await expect(filesystem.restore(snapshot)).rejects.toEqual(busy);
    expect(() => filesystem.stage?.({ changes: [] })).toThrow(busy);
    staged.land();
    expect(filesOf(folders.root)).toEqual(after);
    await filesystem.write('notes.md', 'direct');
    await filesystem.restore(snapshot);
    expect(filesOf(folders.root)).toEqual(files);
  });

  it('do not land over what another process did in the meantime', async () => {
    const disturb: Readonly<Record<string, (root: string) => void>> = {
      'a replaced file is written': (root) => writeFileSync(join(root, 'notes.md'), 'other'),
      'a replaced file gets another time': (root) => utimesSync(join(root, 'notes.md'), 1, 1),
      'a replaced file is removed': (root) => rmSync(join(root, 'notes.md')),
      'a new file is there already': (root) => {
        mkdirSync(join(root, 'made'));
        writeFileSync(join(root, 'made/new.md'), 'other');
      },
      'a moved folder is made anew': (root) => {
        renameSync(join(root, 'src'), join(root, 'elsewhere'));
        mkdirSync(join(root, 'src'));
      },
      'a removed folder gets another file': (root) => writeFileSync(join(root, 'old/y'), 'other'),
    };
    for (const [what, act] of Object.entries(disturb)) {
      const { folders, filesystem, staged } = await setUp();
      act(folders.root);
      const disturbed = Object.entries(filesOf(folders.root)).filter(([path]) => !path.includes('.wink-'));
      expect(() => staged.land(), what).toThrow(changed);
      expect(filesOf(folders.root), what).toEqual(Object.fromEntries(disturbed));
      expect(journalsOf(folders), what).toEqual([]);
      await filesystem.write('later.md', 'later');
    }
  });

  it('are refused as by apply, and then nothing is staged', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const patch = await patchOf(filesystem);
    writeFileSync(join(folders.root, 'notes.md'), 'other');
    expect(() => stage(filesystem, patch)).toThrow(changed);
    expect(filesOf(folders.root)).toEqual({ ...files, 'notes.md': 'other' });
    expect(journalsOf(folders)).toEqual([]);
    await filesystem.write('notes.md', 'notes');
    stage(filesystem, await patchOf(filesystem)).land();
    expect(filesOf(folders.root)).toEqual(after);
  });

  it('exist only where changes are written at once', async () => {
    for (const writeOn of ['flush', 'never'] as const)
      expect((await openHost({ ...testFolders(files), writeOn })).stage).toBeUndefined();
  });

  it('may be none', async () => {
    const folders = testFolders(files);
    const filesystem = await openHost(folders);
    const staged = stage(filesystem, filesystem.fork().patch());
    await expect(filesystem.write('a', 'a')).rejects.toEqual(busy);
    staged.land();
    await filesystem.write('a', 'a');
    expect(filesOf(folders.root)).toEqual({ ...files, a: 'a' });
  });
});
