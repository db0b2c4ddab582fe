import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import {
  type HostFilesystem,
  type HostFilesystemOptions,
  openStagedFolder,
  type StagedFolder,
  type StagedFolderOptions,
  type StagedFolderReport,
} from 'weakincentives/node';
import type { TreeFork } from '../../../../src/core/filesystem/index.ts';
import { contentOf, expectCode } from '../../../contract/filesystem-setup.ts';
import { manifestOf } from '../../../support/tree-manifest.ts';
import { openHost, type TestFolders, testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';
import { type Layer, layers } from './staging-layers.ts';

interface Staged {
  readonly folders: TestFolders;
  readonly filesystem: HostFilesystem;
  readonly fork: TreeFork;
  readonly staged: StagedFolder;
  readonly tempRoot: string;
  readonly at: (path: string) => string;
}

interface Setup extends StagedFolderOptions {
  /** Prepares the folder of the disk. */
  readonly prepare?: (root: string) => void;
  /** What the call does before it stages. */
  readonly change?: (view: Filesystem) => Promise<unknown>;
  readonly host?: Partial<HostFilesystemOptions>;
}

const files = {
  'a.txt': 'one\n',
  'run.sh': '#!/bin/sh\necho ran >ran.txt\n',
  'docs/b.md': 'two\n',
  'docs/deep/c.bin': new Uint8Array([0, 255, 10]),
  'src/x.ts': 'x\n',
};

/** A folder of the disk of some age, with an executable and links, staged through a call. */
async function stage(layer: Layer, { prepare, change, host, ...options }: Setup = {}): Promise<Staged> {
  const folders = testFolders(files);
  const inRoot = (path: string): string => join(folders.root, path);
  chmodSync(inRoot('run.sh'), 0o755);
  chmodSync(inRoot('docs/b.md'), 0o640);
  chmodSync(inRoot('docs'), 0o750);
  symlinkSync('../docs/b.md', inRoot('src/link.md'));
  symlinkSync('docs', inRoot('manual'));
  prepare?.(folders.root);
  for (const path of ['a.txt', 'run.sh', 'docs/b.md', 'docs/deep/c.bin']) {
    utimesSync(inRoot(path), 1_000_000_000, 1_000_000_000.5);
  }
  const filesystem = await openHost({ ...folders, ...host });
  const fork = filesystem.fork();
  await change?.(fork.view);
  const tempRoot = tempFolder();
  const staged = await openStagedFolder(fork.view, { layer, tempRoot, ...options });
  expect(staged.kind).toBe(layer);
  return { folders, filesystem, fork, staged, tempRoot, at: (path) => join(staged.path, path) };
}

async function sh(staged: StagedFolder, script: string): Promise<string> {
  const { exitCode, output } = await staged.run('sh', ['-ec', script]);
  expect([exitCode, output]).toEqual([0, expect.any(String)]);
  return output;
}

const changesOf = ({ created, modified, removed, skipped, permissions }: StagedFolderReport): unknown => ({
  created,
  modified,
  removed,
  skipped: skipped.map(({ path, reason }) => `${path} ${reason}`),
  permissions,
});
const nothing = { created: [], modified: [], removed: [], skipped: [], permissions: [] };
const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

describe.for(layers)('a folder of the disk staged as %s', ([layer, refusal]) => {
  describe.skipIf(refusal !== undefined)(refusal ?? 'works', () => {
    it('has permissions, times, links and empty folders as on the disk', async () => {
      const { staged, at, folders } = await stage(layer, {
        prepare: (root) => mkdirSync(join(root, 'empty')),
      });
      await using _ = staged;
      for (const path of ['a.txt', 'run.sh', 'docs/b.md', 'docs']) {
        expect(modeOf(at(path))).toBe(modeOf(join(folders.root, path)));
      }
      expect(statSync(at('a.txt')).mtimeMs).toBe(1_000_000_000_500);
      expect(readlinkSync(at('src/link.md'))).toBe('../docs/b.md');
      expect(readlinkSync(at('manual'))).toBe('docs');
      expect(readdirSync(at('empty'))).toEqual([]);
      expect(staged).toMatchObject({ files: 5, bytes: 41, leftOut: [] });
      expect(await sh(staged, './run.sh; cat ran.txt src/link.md manual/b.md')).toBe('ran\ntwo\ntwo\n');
      expect(changesOf(await staged.collect())).toEqual({ ...nothing, created: ['ran.txt'] });
    });

    it('has what the call has written, with the permissions of what that replaces', async () => {
      const { staged, at, folders } = await stage(layer, {
        change: async (view) => {
          await view.write('run.sh', '#!/bin/sh\necho new >ran.txt\n');
          await view.write('new/file', 'n');
          await view.move('docs/b.md', 'moved.md');
          await view.copy('docs', 'copied');
          await view.remove('a.txt');
          await view.mkdir('a.txt/inner');
          await view.remove('src', { recursive: true });
          await view.write('src', 'a file now');
          await view.remove('manual');
        },
      });
      await using _ = staged;
      const before = manifestOf(folders.root);
      expect(readdirSync(staged.path, { recursive: true, encoding: 'utf8' }).sort()).toEqual(
        ['a.txt', 'a.txt/inner', 'copied', 'copied/deep', 'copied/deep/c.bin', 'docs', 'docs/deep']
          .concat(['docs/deep/c.bin', 'moved.md', 'new', 'new/file', 'run.sh', 'src'])
          .sort(),
      );
      expect([modeOf(at('run.sh')), modeOf(at('moved.md'))]).toEqual([0o755, 0o640]);
      expect(statSync(at('moved.md')).mtimeMs).toBe(1_000_000_000_500);
      expect(changesOf(await staged.collect())).toEqual(nothing);
      await sh(staged, './run.sh; rm -r copied; mv src was-src');
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        created: ['ran.txt', 'was-src'],
        removed: ['copied', 'copied/deep', 'copied/deep/c.bin', 'src'],
      });
      expect(manifestOf(folders.root)).toEqual(before);
    });

    it('takes back everything that a process does, which lands as one commit', async () => {
      const { staged, folders, fork, filesystem } = await stage(layer);
      await using _ = staged;
      const before = manifestOf(folders.root);
      await sh(
        staged,
        `echo more >>a.txt; chmod +x a.txt; chmod 600 docs/b.md
         printf '#!/bin/sh\\n' >tool; chmod 755 tool
         mv docs renamed; mkdir docs; echo again >docs/other
         rm run.sh; mkdir run.sh; echo inner >run.sh/inner
         rm -r src; echo file >src
         rm manual; ln -s a.txt manual; mkfifo pipe; ln -s /etc/passwd out`,
      );
      const report = await staged.collect();
      expect(changesOf(report)).toEqual({
        created: ['docs/other', 'renamed', 'renamed/b.md', 'renamed/deep', 'renamed/deep/c.bin', 'run.sh']
          .concat(['run.sh/inner', 'src', 'tool'])
          .sort(),
        modified: ['a.txt'],
        removed: ['docs/b.md', 'docs/deep', 'docs/deep/c.bin', 'run.sh', 'src', 'src/link.md', 'src/x.ts'],
        skipped: ['manual symlink', 'out symlink', 'pipe special-file'],
        permissions: ['a.txt', 'tool'],
      });
      expect(manifestOf(folders.root)).toEqual(before);
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        skipped: ['manual symlink', 'out symlink', 'pipe special-file'],
      });
      filesystem.apply(fork.patch());
      expect(await contentOf(filesystem)).toMatchObject({
        'a.txt': 'one\nmore\n',
        'docs/other': 'again\n',
        'renamed/b.md': 'two\n',
        'run.sh/inner': 'inner\n',
        src: 'file\n',
      });
      expect(readlinkSync(join(folders.root, 'manual'))).toBe('docs');
      expect(modeOf(join(folders.root, 'a.txt'))).toBe(0o644);
    });

    it('takes a folder that became a file and a folder again for the folder that it is', async () => {
      const { staged, fork } = await stage(layer);
      await using _ = staged;
      await sh(staged, 'rm -r docs; echo file >docs');
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        created: ['docs'],
        removed: ['docs', 'docs/b.md', 'docs/deep', 'docs/deep/c.bin'],
      });
      await sh(staged, 'rm docs; mkdir -p docs/deep; echo two >docs/b.md; echo new >docs/deep/n');
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        created: ['docs', 'docs/b.md', 'docs/deep', 'docs/deep/n'],
        removed: ['docs'],
      });
      expect(fork.changes().map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        'modified docs/b.md',
        'removed docs/deep/c.bin',
        'created docs/deep/n',
      ]);
    });

    it('removes a link and never what it leads to, and writes a file in its place', async () => {
      const { staged, fork, filesystem, folders } = await stage(layer);
      await using _ = staged;
      await sh(staged, 'rm src/link.md manual; echo mine >src/link.md; echo via >>docs/b.md');
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        created: ['src/link.md'],
        modified: ['docs/b.md'],
        removed: ['manual', 'src/link.md'],
      });
      filesystem.apply(fork.patch());
      expect(existsSync(join(folders.root, 'manual'))).toBe(false);
      expect(lstatSync(join(folders.root, 'src/link.md')).isFile()).toBe(true);
      expect(readFileSync(join(folders.root, 'docs/b.md'), 'utf8')).toBe('two\nvia\n');
    });

    it('keeps what is excluded, by itself or by the file system, from the process and from what is collected', async () => {
      const { staged, at, folders } = await stage(layer, {
        exclude: ['docs/deep/**', '**/*.log'],
        host: { exclude: ['**/.env', 'private/**'] },
        prepare: (root) => {
          mkdirSync(join(root, 'private'));
          for (const name of ['.env', 'src/.env', 'private/key', 'old.log'])
            writeFileSync(join(root, name), 's');
        },
      });
      await using _ = staged;
      const before = manifestOf(folders.root);
      expect(readdirSync(staged.path)).toEqual(['a.txt', 'docs', 'manual', 'run.sh', 'src']);
      expect([readdirSync(at('docs')), readdirSync(at('src'))]).toEqual([['b.md'], ['link.md', 'x.ts']]);
      await sh(
        staged,
        'mkdir -p docs/deep private; for f in docs/deep/c.bin private/key .env new.log kept; do echo x >$f; done',
      );
      expect(changesOf(await staged.collect())).toEqual({
        ...nothing,
        created: ['kept'],
        skipped: ['.env not-staged', 'private not-staged'],
      });
      expect(manifestOf(folders.root)).toEqual(before);
    });

    it('shows a process that names the folder of the disk what it shows in the staged one', async () => {
      const { staged, folders } = await stage(layer, {
        prepare: (root) => symlinkSync(join(root, 'docs'), join(root, 'absolute')),
      });
      await using _ = staged;
      const before = manifestOf(folders.root);
      await sh(staged, 'echo x >absolute/n; echo y >"$(pwd)/m"');
      expect(changesOf(await staged.collect())).toEqual({ ...nothing, created: ['docs/n', 'm'] });
      expect(manifestOf(folders.root)).toEqual(before);
    });

    it('clones a large file, and holds what is changed to the limits', async () => {
      const big = {
        prepare: (root: string) => writeFileSync(join(root, 'big'), new Uint8Array(3_000_000).fill(7)),
      };
      const { staged, at, fork } = await stage(layer, { ...big, maxFileBytes: 3_000_000 });
      await using _ = staged;
      expect(readFileSync(at('big')).equals(new Uint8Array(3_000_000).fill(7))).toBe(true);
      await sh(staged, 'printf x | dd of=big bs=1 seek=2999999 conv=notrunc 2>/dev/null');
      expect(changesOf(await staged.collect())).toEqual({ ...nothing, modified: ['big'] });
      expect((await fork.view.readBytes('big')).at(-1)).toBe('x'.codePointAt(0));
      await sh(staged, 'printf x >>big');
      await expectCode(staged.collect(), 'file-too-large');
    });

    it('leaves nothing when a limit is passed', async () => {
      const tempRoot = tempFolder();
      await expectCode(stage(layer, { tempRoot, maxEntries: 4 }), 'filesystem-quota-exceeded');
      const change = (view: Filesystem): Promise<unknown> => view.write('a.txt', 'long enough');
      await expectCode(stage(layer, { tempRoot, change, maxBytes: 10 }), 'filesystem-quota-exceeded');
      await expectCode(stage(layer, { tempRoot, change, maxFileBytes: 10 }), 'file-too-large');
      expect(readdirSync(tempRoot)).toEqual([]);
    });

    it('makes the call depend on what the process could see', async () => {
      const { staged, fork, folders } = await stage(layer);
      await staged.collect();
      await staged[Symbol.asyncDispose]();
      expect(fork.conflicts()).toEqual([]);
      writeFileSync(join(folders.root, 'src/x.ts'), 'theirs');
      expect(fork.conflicts()).toContain('file src/x.ts');
    });

    it('refuses a file that another process has changed on the disk as well', async () => {
      const { staged, fork, filesystem, folders } = await stage(layer);
      await using _ = staged;
      await sh(staged, 'echo ours >a.txt');
      writeFileSync(join(folders.root, 'a.txt'), 'theirs');
      const refused = await staged.collect().then(
        () =>
          expectCode(
            Promise.resolve().then(() => filesystem.apply(fork.patch())),
            'file-changed-on-disk',
          ),
        (error: unknown) => expectCode(Promise.reject(error), 'file-changed-on-disk'),
      );
      expect(refused).toContain('"a.txt"');
      expect(readFileSync(join(folders.root, 'a.txt'), 'utf8')).toBe('theirs');
    });

    it('stages the file system itself, too', async () => {
      const { filesystem, folders } = await stage(layer);
      await using staged = await openStagedFolder(filesystem, { layer, tempRoot: tempFolder() });
      await sh(staged, 'echo direct >a.txt');
      expect(changesOf(await staged.collect())).toEqual({ ...nothing, modified: ['a.txt'] });
      expect(readFileSync(join(folders.root, 'a.txt'), 'utf8')).toBe('direct\n');
    });

    it('leaves no files when it is disposed', async () => {
      const { staged, tempRoot, folders } = await stage(layer);
      const before = manifestOf(folders.root);
      await sh(staged, 'rm -r docs; mkdir docs; chmod 000 docs src');
      await staged[Symbol.asyncDispose]();
      expect(readdirSync(tempRoot)).toEqual([]);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(tempRoot);
      expect(manifestOf(folders.root)).toEqual(before);
      await expectCode(staged.collect(), 'path-not-found');
      await expectCode(staged.run('true'), 'path-not-found');
    });
  });
});

it('has no overlay of files in memory', async () => {
  const message = await expectCode(
    openStagedFolder(new MemoryFilesystem(), { layer: 'overlay' }),
    'filesystem-storage-failed',
  );
  expect(message).toContain("'copy'");
});

it('does not stage a folder into itself', async () => {
  const folders = testFolders({ 'tmp/a': 'x' });
  const filesystem = await openHost(folders);
  await expectCode(openStagedFolder(filesystem, { tempRoot: join(folders.root, 'tmp') }), 'argument-invalid');
});
