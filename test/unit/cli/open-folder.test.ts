import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderError, openFolder } from '../../../src/cli/open-folder.ts';

let root = '';
const signal = new AbortController().signal;

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

describe('openFolder', () => {
  it('takes files, and leaves out what tools made', async () => {
    put('src/a.ts', 'a');
    put('node_modules/x/index.js', 'x');
    put('packages/p/dist/out.js', 'y');
    put('.git/config', 'z');
    const opened = await openFolder(root, workspace, signal);
    expect(opened.files).toBe(1);
    expect((await opened.filesystem.glob('**')).paths).toEqual(['src/a.ts']);
    expect(opened.unmounted.folders).toContain('dist');
    expect(opened.notes).toEqual([]);
  });

  it('names what it leaves out, by reason, and goes on', async () => {
    put('big.bin', new Uint8Array(8_388_609));
    put('pixel.png', new Uint8Array([137, 80, 0, 0]));
    put('latin.txt', new Uint8Array([99, 97, 102, 233]));
    put('fine.md', 'hello');
    symlinkSync('/etc', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'x');
    const opened = await openFolder(root, workspace, signal);
    expect(opened.files).toBe(3);
    expect([...opened.notes].sort()).toEqual([
      'left out, a symbolic link: link',
      'left out, its name is no UTF-8 or not allowed in a workspace: caf\ufffd',
      'left out, larger than 8.0 MB: big.bin',
      'left out, no ordinary file: pipe',
      'not shown as text, a binary: latin.txt, pixel.png',
    ]);
    expect(opened.unmounted.total).toBe(4);
    expect(opened.unmounted.entries).toContainEqual({ path: 'big.bin', reason: 'larger than 8.0 MB' });
  });

  it('names the first of many only', async () => {
    for (let index = 0; index < 6; index++) put(`${index}.bin`, new Uint8Array([0]));
    expect((await openFolder(root, workspace, signal)).notes).toEqual([
      'not shown as text, a binary: 0.bin, 1.bin, 2.bin and 3 more',
    ]);
  });

  it.each([
    ['missing', 'there is no folder'],
    ['file.txt', 'is no folder'],
    ['file.txt/below', 'is no folder'],
    ['loop', 'cannot be used'],
    ['nul\0byte', 'cannot be used'],
  ])('refuses %j with one line and without the way to it', async (name, words) => {
    put('file.txt', 'x');
    symlinkSync('loop', join(root, 'loop'));
    const refused = await openFolder(join(root, name), workspace, signal).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FolderError);
    expect(refused).toHaveProperty('message', expect.stringContaining(words));
    expect(refused).toHaveProperty('message', expect.not.stringContaining('\n'));
  });

  it('stops with the reason of the signal', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(openFolder(root, workspace, stop.signal)).rejects.toThrow('enough');
  });
});
