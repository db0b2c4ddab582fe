import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Filesystem } from 'weakincentives';
import type { HostFilesystem } from 'weakincentives/node';
import { skipNotes, skippedFiles } from '../../../../examples/review/skipped-files.ts';
import { type OpenedFolder, openFolder } from '../../../../src/cli/folder/open-folder.ts';
import type { ApplyMode } from '../../../../src/cli/options/option-values.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wink-open-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, data: string | Uint8Array): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), data);
}

const workspace = { exclude: ['**/dist/**'] };

const opened: OpenedFolder[] = [];
afterEach(async () => {
  for (const folder of opened.splice(0)) await folder.close();
});

async function open(mode?: ApplyMode): Promise<OpenedFolder> {
  const folder = await openFolder(join(root, 'work'), workspace, mode, {
    stateDirectory: join(root, 'state'),
  });
  opened.push(folder);
  return folder;
}

/** What a folder does not show. */
function skippedIn(files: Filesystem): ReturnType<HostFilesystem['listSkipped']> {
  if (!('listSkipped' in files)) throw new Error('These files are in memory.');
  return (files as HostFilesystem).listSkipped();
}

describe('openFolder', () => {
  it('shows files, and leaves out what tools made', async () => {
    put('work/src/a.ts', 'a');
    put('work/node_modules/x/index.js', 'x');
    put('work/packages/p/dist/out.js', 'y');
    put('work/.git/config', 'z');
    const { filesystem, leftOutNames, notes } = await open();
    expect((await filesystem.glob('**')).paths).toEqual(['src/a.ts']);
    expect(leftOutNames).toEqual(['.git', 'dist', 'node_modules']);
    expect(skippedIn(filesystem)).toEqual([]);
    expect(notes).toEqual([]);
  });

  it('names what cannot be read like an ordinary file, by reason', async () => {
    put('work/big.bin', new Uint8Array(33_554_433));
    put('work/fine.md', 'hello');
    symlinkSync('/etc', join(root, 'work/away'));
    symlinkSync('fine.md', join(root, 'work/link'));
    execFileSync('mkfifo', [join(root, 'work/pipe')]);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/work/caf`), Buffer.from([0xe9])]), 'x');
    const { filesystem } = await open();
    expect(skipNotes(skippedFiles(skippedIn(filesystem), []))).toEqual([
      'left out, a symbolic link that leads out of what is shown: away',
      'left out, larger than 32.0 MB: big.bin',
      'left out, its name is no UTF-8 or not allowed: caf\ufffd',
      'left out, a symbolic link: link',
      'left out, no ordinary file: pipe',
    ]);
  });

  it('names the first of many only', async () => {
    put('work/a', 'x');
    for (let index = 0; index < 6; index++) symlinkSync('a', join(root, `work/link${index}`));
    expect(skipNotes(skippedFiles(skippedIn((await open()).filesystem), []))).toEqual([
      'left out, a symbolic link: link0, link1, link2 and 3 more',
    ]);
  });

  it('keeps a second one out that is to write, and lets one look', async () => {
    put('work/a', 'x');
    await open('end');
    for (const mode of ['end', 'each'] as const) {
      await expect(open(mode)).rejects.toThrow(
        `is in use by process ${process.pid}, which writes to it. Wait until it has ended.`,
      );
    }
    const looking = await open();
    expect((await looking.filesystem.read('a')).text).toBe('x');
    expect(looking.held).toBeUndefined();
  });

  it('makes nothing anywhere unless it is to write', async () => {
    put('work/a', 'x');
    await (await open()).filesystem.write('a', 'y');
    expect(readdirSync(root)).toEqual(['work']);
  });

  it('says where lock and journal could be kept', async () => {
    put('work/a', 'x');
    const within = openFolder(root, {}, 'end', { stateDirectory: join(root, 'state') });
    await expect(within).rejects.toThrow(
      /^lock and journal of ".*" cannot be kept: set XDG_STATE_HOME to a writable folder outside/,
    );
  });

  it.each([
    ['missing', 'there is no folder'],
    ['file.txt', 'is not a directory'],
    ['file.txt/below', 'is not a directory'],
    ['loop', 'there is no folder'],
    ['nul\0byte', 'cannot be used'],
  ])('refuses %j with one line and without the way to it', async (name, words) => {
    put('file.txt', 'x');
    symlinkSync('loop', join(root, 'loop'));
    for (const mode of [undefined, 'end'] as const) {
      const refused = await openFolder(join(root, name), workspace, mode).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect(refused).toHaveProperty('message', expect.stringContaining(words));
      expect(refused).toHaveProperty('message', expect.not.stringContaining('\n'));
    }
  });
});
