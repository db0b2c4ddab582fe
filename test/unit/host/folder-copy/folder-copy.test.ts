import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { type FolderCopy, readFolder } from 'weakincentives/node';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { tempFolder } from '../temp-folder.ts';

const mount = (
  folder: string,
  options: Partial<Parameters<typeof readFolder>[0]> = {},
): Promise<FolderCopy> => readFolder({ hostPath: folder, allowedRoots: [folder], ...options });

const textOf = (mounted: FolderCopy, path: string): string | undefined => {
  const content = mounted.files[path];
  return content === undefined ? undefined : new TextDecoder().decode(content);
};

describe('readFolder', () => {
  it('takes every file byte for byte, at every depth', async () => {
    const binary = Uint8Array.from({ length: 256 }, (_, index) => index);
    const folder = tempFolder({ 'a.txt': 'one\r\n', 'b/c/d.bin': binary, 'b/empty': '', '.hidden': 'h' });
    const mounted = await mount(folder);
    expect(Object.keys(mounted.files).toSorted()).toEqual(['.hidden', 'a.txt', 'b/c/d.bin', 'b/empty']);
    expect(textOf(mounted, 'a.txt')).toBe('one\r\n');
    expect(mounted.files['b/c/d.bin']).toEqual(binary);
    expect(mounted.report).toEqual({
      files: 4,
      bytes: 262,
      skipped: [],
      skippedCount: 0,
      excluded: 0,
      complete: true,
    });
  });

  it('puts the files under the mount path', async () => {
    const mounted = await mount(tempFolder({ 'a.txt': 'x', 'b/c.txt': 'y' }), {
      mountPath: '/project/../docs/',
    });
    expect(mounted.mountPath).toBe('docs');
    expect(Object.keys(mounted.files).toSorted()).toEqual(['docs/a.txt', 'docs/b/c.txt']);
  });

  it('leaves version control and installed packages out at every depth, files of that name too', async () => {
    const folder = tempFolder({
      'src/a.ts': '',
      '.git/config': '',
      'node_modules/x/index.js': '',
      'packages/p/node_modules/y/index.js': '',
      'packages/p/.git': 'gitdir: elsewhere',
      'packages/p/.gitignore': '',
    });
    const mounted = await mount(folder);
    expect(Object.keys(mounted.files).toSorted()).toEqual(['packages/p/.gitignore', 'src/a.ts']);
    expect(mounted.report).toMatchObject({ excluded: 4, skippedCount: 0, complete: true });
    expect(Object.keys((await mount(folder, { defaultExcludes: false })).files)).toHaveLength(6);
  });

  it('takes what include asks for and leaves out what exclude names, together with the default ones', async () => {
    const folder = tempFolder({
      'src/a.ts': '',
      'src/b.js': '',
      'src/dist/c.ts': '',
      'dist/d.ts': '',
      'node_modules/e.ts': '',
      'top.ts': '',
    });
    const paths = async (options: Partial<Parameters<typeof readFolder>[0]>): Promise<string[]> =>
      Object.keys((await mount(folder, options)).files).toSorted();
    expect(await paths({ include: ['**/*.ts'] })).toEqual([
      'dist/d.ts',
      'src/a.ts',
      'src/dist/c.ts',
      'top.ts',
    ]);
    expect(await paths({ exclude: ['dist/**'] })).toEqual([
      'src/a.ts',
      'src/b.js',
      'src/dist/c.ts',
      'top.ts',
    ]);
    expect(await paths({ exclude: ['**/dist'] })).toEqual(['src/a.ts', 'src/b.js', 'top.ts']);
    expect(await paths({ include: ['src/*.ts', 'top.ts'] })).toEqual(['src/a.ts', 'top.ts']);
    expect(await paths({ include: ['src/**'], exclude: ['**/*.js'] })).toEqual(['src/a.ts', 'src/dist/c.ts']);
  });

  it('does not even list a directory that is excluded or that include cannot reach', async () => {
    const folder = tempFolder({ 'src/a.ts': '', 'locked/b.ts': '', 'node_modules/c.ts': '' });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'locked'), 0o000);
    chmodSync(join(folder, 'node_modules'), 0o000);
    const mounted = await asOrdinaryUser(folder, () => mount(folder, { include: ['src/**'] }));
    chmodSync(join(folder, 'locked'), 0o755);
    expect(Object.keys(mounted.files)).toEqual(['src/a.ts']);
    expect(mounted.report.skipped).toEqual([]);
  });

  it('skips unreadable files and directories by name, and takes the rest', async () => {
    const folder = tempFolder({ 'a.txt': 'a', 'secret.txt': 's', 'locked/b.txt': 'b' });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'secret.txt'), 0o000);
    chmodSync(join(folder, 'locked'), 0o000);
    const mounted = await asOrdinaryUser(folder, () => mount(folder));
    expect(Object.keys(mounted.files)).toEqual(['a.txt']);
    expect(mounted.report).toMatchObject({
      files: 1,
      bytes: 1,
      complete: false,
      skipped: [
        { path: 'locked', reason: 'unreadable' },
        { path: 'secret.txt', reason: 'unreadable' },
      ],
    });
  });

  it('skips fifos and sockets without opening them', async () => {
    const folder = tempFolder({ 'a.txt': 'a' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    try {
      const mounted = await mount(folder);
      expect(Object.keys(mounted.files)).toEqual(['a.txt']);
      expect(mounted.report.skipped).toEqual([
        { path: 'pipe', reason: 'special-file' },
        { path: 'socket', reason: 'special-file' },
      ]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('leaves a 50 MB file out unread, and takes it when it is allowed to', async () => {
    const folder = tempFolder({ 'a.txt': 'a', 'huge.bin': '' });
    truncateSync(join(folder, 'huge.bin'), 52_428_800);
    const mounted = await mount(folder);
    expect(mounted.report).toMatchObject({
      files: 1,
      bytes: 1,
      skipped: [{ path: 'huge.bin', reason: 'file-too-large' }],
    });
    const whole = await mount(folder, { maxFileBytes: 52_428_800 });
    expect(whole.files['huge.bin']?.byteLength).toBe(52_428_800);
    expect(whole.report.complete).toBe(true);
  });

  it('takes names that are strange but possible', async () => {
    const names = [
      '-rf',
      ' lead and trail ',
      'new\nline',
      'grüße 你好 👋',
      '__proto__',
      'constructor',
      '*?[x]',
      '$HOME',
      '\u202Eevil',
    ];
    const folder = tempFolder(Object.fromEntries(names.map((name) => [`d/${name}`, name])));
    // An object literal would take this key for the prototype.
    writeFileSync(join(folder, '__proto__'), 'top');
    const mounted = await mount(folder);
    expect(mounted.report.skipped).toEqual([]);
    for (const name of names) expect(textOf(mounted, `d/${name}`)).toBe(name);
    expect(textOf(mounted, '__proto__')).toBe('top');
    expect(mounted.report.files).toBe(names.length + 1);
  });

  it('skips names that a workspace cannot have: a backslash, no UTF-8, too deep', async () => {
    const deep = Array.from({ length: 64 }, () => 'd').join('/');
    const folder = tempFolder({ 'good.txt': 'g', 'back\\slash': 'b', [`${deep}/file`]: 'deep' });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff, 0xfe])]), 'x');
    const mounted = await mount(folder);
    expect(Object.keys(mounted.files)).toEqual(['good.txt']);
    expect(mounted.report.skipped).toEqual([
      { path: 'back\\slash', reason: 'name-not-allowed' },
      { path: 'bad\uFFFD\uFFFD', reason: 'name-not-allowed' },
      { path: `${deep}/file`, reason: 'name-not-allowed' },
    ]);
  });

  it('mounts an empty folder, and one of empty folders', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    const mounted = await mount(folder);
    expect(mounted.files).toEqual({});
    expect(mounted.report).toMatchObject({ files: 0, complete: true });
  });

  it('rejects with the reason of the signal, before and during the reading', async () => {
    const folder = tempFolder(
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x'])),
    );
    const reason = new Error('enough');
    await expect(mount(folder, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const running = mount(folder, { signal: controller.signal });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });
});

describe('a MemoryFilesystem of a mount', () => {
  it('gives a workspace in memory whose changes never reach the disk', async () => {
    const folder = tempFolder({ 'a.txt': 'before', 'b/c.txt': 'c' });
    const { files, report } = await mount(folder);
    const filesystem = new MemoryFilesystem({ files });
    await filesystem.write('a.txt', 'after');
    await filesystem.remove('b', { recursive: true });
    expect(report.files).toBe(2);
    expect((await filesystem.read('a.txt')).text).toBe('after');
    const again = await mount(folder);
    expect(textOf(again, 'a.txt')).toBe('before');
    expect(textOf(again, 'b/c.txt')).toBe('c');
  });

  it('takes files that are larger than it takes by default, once both allow them', async () => {
    const folder = tempFolder({ 'huge.bin': '' });
    truncateSync(join(folder, 'huge.bin'), 40_000_000);
    const maxFileBytes = 50_000_000;
    const { files } = await mount(folder, { maxFileBytes });
    const filesystem = new MemoryFilesystem({ files, maxFileBytes });
    expect((await filesystem.stat('huge.bin'))?.bytes).toBe(40_000_000);
  });
});
