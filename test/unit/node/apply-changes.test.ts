import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilesystemSnapshot, MemoryFilesystem } from 'weakincentives';
import { type ApplyOutcome, applyChanges, mountFolder } from 'weakincentives/node';
import { tempFolder } from './temp-folder.ts';

let root = '';
let outside = '';
let filesystem: MemoryFilesystem;
let since: FilesystemSnapshot;

beforeEach(async () => {
  outside = tempFolder();
  root = join(outside, 'work');
  put('a.txt', 'one\n');
  put('docs/b.md', 'two\n');
  put('docs/deep/c.md', 'three\n');
  put('run.sh', '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o750);
  ({ filesystem } = await mountFolder({ hostPath: root }));
  since = await filesystem.snapshot();
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const apply = (): Promise<ApplyOutcome> => applyChanges({ hostPath: root, filesystem, since });

/** Every file below the folder with its content; a temporary file that was left behind shows too. */
function onDisk(): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => !lstatSync(join(root, name)).isDirectory())
      .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
  );
}

describe('applyChanges', () => {
  it('writes, makes and removes, and touches nothing else', async () => {
    const untouched = statSync(join(root, 'docs/b.md'), { bigint: true });
    await filesystem.write('a.txt', 'changed\n');
    await filesystem.write('new/deep/d.bin', new Uint8Array([0, 255]));
    await filesystem.mkdir('empty/inner');
    await filesystem.remove('docs/deep', { recursive: true });
    expect(await apply()).toEqual({
      kind: 'applied',
      written: ['a.txt', 'empty/inner', 'new/deep/d.bin'],
      removed: ['docs/deep/c.md'],
    });
    expect(Object.keys(onDisk())).toEqual(['a.txt', 'docs/b.md', 'new/deep/d.bin', 'run.sh']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('changed\n');
    expect([...readFileSync(join(root, 'new/deep/d.bin'))]).toEqual([0, 255]);
    expect(statSync(join(root, 'empty/inner')).isDirectory()).toBe(true);
    expect(existsSync(join(root, 'docs/deep'))).toBe(false);
    expect(statSync(join(root, 'docs/b.md'), { bigint: true })).toEqual(untouched);
  });

  it('keeps the permissions of a file that it replaces', async () => {
    await filesystem.write('run.sh', '#!/bin/sh\nexit 1\n');
    expect((await apply()).kind).toBe('applied');
    expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o750);
  });

  it('leaves a folder that the workspace still has, and one that holds what was not mounted', async () => {
    put('docs/deep/.git/config', 'x');
    await filesystem.remove('docs/deep', { recursive: true });
    await filesystem.remove('docs/b.md');
    expect((await apply()).kind).toBe('applied');
    expect(Object.keys(onDisk())).toEqual(['a.txt', 'docs/deep/.git/config', 'run.sh']);
  });

  it('says applied when nothing was changed', async () => {
    expect(await apply()).toEqual({ kind: 'applied', written: [], removed: [] });
  });

  describe('names every conflict and writes nothing', () => {
    const changed = 'was changed on disk since it was mounted';
    it.each<[string, () => void, string, string]>([
      ['other content', () => put('a.txt', 'ONE\n'), 'a.txt', changed],
      ['longer content', () => put('a.txt', 'one\nmore\n'), 'a.txt', changed],
      ['a file that is gone', () => rmSync(join(root, 'a.txt')), 'a.txt', 'is gone from the disk'],
      [
        'a new file whose place is taken',
        () => put('new/d.md', 'theirs'),
        'new/d.md',
        'exists on disk now, or was left out when the folder was mounted',
      ],
      [
        'a folder where a file is to be made',
        () => mkdirSync(join(root, 'new/d.md'), { recursive: true }),
        'new/d.md',
        'is a folder on disk; a folder is not replaced by a file',
      ],
      [
        'a file where a folder is to be made',
        () => put('new', 'a file'),
        'new/d.md',
        '"new", which it stands in, is no ordinary folder on disk',
      ],
      ['a removed file with other content', () => put('docs/deep/c.md', '3'), 'docs/deep/c.md', changed],
      [
        'a removed file that is gone',
        () => rmSync(join(root, 'docs/deep'), { recursive: true }),
        'docs/deep/c.md',
        'is gone from the disk',
      ],
      [
        'a link in the place of a file',
        () => {
          writeFileSync(join(outside, 'target'), 'one\n');
          rmSync(join(root, 'a.txt'));
          symlinkSync('../target', join(root, 'a.txt'));
        },
        'a.txt',
        'is a symbolic link on disk; links are not written through',
      ],
      [
        'a link in the place of a folder',
        () => {
          mkdirSync(join(outside, 'elsewhere'));
          writeFileSync(join(outside, 'elsewhere/c.md'), 'three\n');
          rmSync(join(root, 'docs/deep'), { recursive: true });
          symlinkSync('../../elsewhere', join(root, 'docs/deep'));
        },
        'docs/deep/c.md',
        '"docs/deep", which it stands in, is no ordinary folder on disk',
      ],
      [
        'a dangling link where a file is to be made',
        () => {
          mkdirSync(join(root, 'new'));
          symlinkSync('../../elsewhere', join(root, 'new/d.md'));
        },
        'new/d.md',
        'exists on disk now, or was left out when the folder was mounted',
      ],
    ])('%s', async (_what, interfere, path, reason) => {
      await filesystem.write('a.txt', 'changed\n');
      await filesystem.write('new/d.md', 'new\n');
      await filesystem.write('run.sh', 'unharmed');
      await filesystem.remove('docs/deep/c.md');
      interfere();
      const before = listing(outside);
      expect(await apply()).toEqual({ kind: 'conflict', conflicts: [{ path, reason }] });
      expect(listing(outside)).toEqual(before);
    });

    it('of one that lies deeper behind a link', async () => {
      mkdirSync(join(outside, 'elsewhere/deep'), { recursive: true });
      rmSync(join(root, 'docs'), { recursive: true });
      symlinkSync('../elsewhere', join(root, 'docs'));
      await filesystem.write('docs/deep/new.md', 'escaped');
      const outcome = await apply();
      expect(outcome.kind).toBe('conflict');
      expect(listing(outside)).not.toContainEqual(expect.stringContaining('new.md'));
    });

    it('of a folder that becomes a file and a file that becomes a folder', async () => {
      await filesystem.remove('docs', { recursive: true });
      await filesystem.write('docs', 'now a file');
      await filesystem.remove('a.txt');
      await filesystem.write('a.txt/inner', 'now a folder');
      const before = listing(outside);
      const outcome = await apply();
      expect(outcome.kind === 'conflict' ? outcome.conflicts.map(({ path }) => path) : outcome).toEqual([
        'a.txt/inner',
        'docs',
      ]);
      expect(listing(outside)).toEqual(before);
    });
  });

  /** A workspace whose change of `a.txt` does something to the disk while it is being written beside its place. */
  function interfering(interfere: () => void): Pick<MemoryFilesystem, 'changesSince' | 'stat'> {
    return {
      stat: (path) => filesystem.stat(path),
      changesSince: (snapshot) =>
        filesystem.changesSince(snapshot).map((change) => {
          const { after } = change;
          if (change.path !== 'a.txt' || after === undefined) return change;
          const data = (): Uint8Array => {
            interfere();
            return after.data();
          };
          return { ...change, after: { bytes: after.bytes, text: () => after.text(), data } };
        }),
    };
  }

  it.each<[string, () => void]>([
    ['a file that is replaced', () => put('run.sh', 'theirs')],
    ['a file that is removed', () => put('docs/b.md', 'theirs')],
    ['the place of a new file', () => put('new.md', 'theirs')],
  ])(
    'sees that %s was touched while it was writing, and takes back what it had begun',
    async (_what, act) => {
      await filesystem.write('a.txt', 'changed\n');
      await filesystem.write('run.sh', 'changed\n');
      await filesystem.write('new.md', 'new\n');
      await filesystem.write('deep/down/new.md', 'new\n');
      await filesystem.remove('docs/b.md');
      const outcome = await applyChanges({ hostPath: root, since, filesystem: interfering(act) });
      expect(outcome).toMatchObject({
        kind: 'conflict',
        conflicts: [{ reason: 'was changed on disk while the changes were being written' }],
      });
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
      expect(Object.keys(onDisk()).filter((name) => /wink|deep.down/.test(name))).toEqual([]);
      expect(existsSync(join(root, 'deep'))).toBe(false);
    },
  );

  it('says where it failed and what was written before, removes nothing and leaves no temporary file', async () => {
    await filesystem.write('a.txt', 'changed\n');
    await filesystem.mkdir('b');
    await filesystem.write('new/c.md', 'never\n');
    await filesystem.remove('docs/b.md');
    const filesystemInTheWay = interfering(() => put('b', 'a file where the folder should be'));
    const outcome = await applyChanges({ hostPath: root, since, filesystem: filesystemInTheWay });
    expect(outcome).toEqual({
      kind: 'failed',
      path: 'b',
      reason: '"b" is no ordinary folder any more',
      written: ['a.txt'],
      removed: [],
    });
    expect(Object.keys(onDisk())).toEqual(['a.txt', 'b', 'docs/b.md', 'docs/deep/c.md', 'run.sh']);
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  it('fails as a whole when new content cannot be put on the disk', async () => {
    await filesystem.write('a.txt', 'changed\n');
    const before = listing(outside);
    const refusing = interfering(() => {
      throw Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' });
    });
    expect(await applyChanges({ hostPath: root, since, filesystem: refusing })).toEqual({
      kind: 'failed',
      path: 'a.txt',
      reason: 'no space is left',
      written: [],
      removed: [],
    });
    expect(listing(outside)).toEqual(before);
  });

  it('refuses a folder that is gone', async () => {
    rmSync(root, { recursive: true });
    await expect(apply()).rejects.toMatchObject({ code: 'not-found' });
  });
});

/** Every path below a folder with its kind and content. */
function listing(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = lstatSync(join(path, name));
      return `${name} ${stats.mode} ${stats.isFile() ? readFileSync(join(path, name), 'hex') : ''}`;
    });
}
