import { closeSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  OpenDirectories,
  openRootDirectory,
} from '../../../../../src/host/host-filesystem/jail/open-directories.ts';
import { testFolders } from '../host-workspace.ts';

const changed = expect.objectContaining({
  code: 'file-changed-on-disk',
  message: expect.stringContaining('"a/b"'),
});

function openDirectories(): { readonly root: string; readonly directories: OpenDirectories } {
  const { root } = testFolders({ 'a/b/file.txt': 'inside', 'c/file.txt': 'other' });
  const file = openRootDirectory(root);
  onTestFinished(() => closeSync(file));
  return { root, directories: new OpenDirectories(file) };
}

describe.skipIf(process.platform !== 'linux')('a directory that is kept open', () => {
  const pathOf = (directories: OpenDirectories, path: string): string =>
    directories.within(path.split('/'), (at) => at());
  const write = (directories: OpenDirectories, path: string, name: string): void =>
    directories.within(path.split('/'), (at) => writeFileSync(at(name), 'written'));

  it('is opened once for the accesses that follow each other, and closed by the next one and at the end', () => {
    const { directories } = openDirectories();
    let last = '';
    directories.keepingOpen(() => {
      const first = pathOf(directories, 'a/b');
      writeFileSync(`${first}/kept.txt`, 'through the open directory');
      expect(pathOf(directories, 'a/b')).toBe(first);
      pathOf(directories, 'c');
      expect(() => readFileSync(`${first}/kept.txt`)).toThrow(/ENOENT/u);
      last = pathOf(directories, 'c');
      expect(readFileSync(`${last}/file.txt`, 'utf8')).toBe('other');
    });
    expect(() => readFileSync(`${last}/file.txt`)).toThrow(/ENOENT/u);
  });

  it('is closed when an access fails', () => {
    const { directories } = openDirectories();
    let path = '';
    const fail = (): void =>
      directories.keepingOpen(() => {
        path = pathOf(directories, 'a/b');
        throw new Error('failed');
      });
    expect(fail).toThrow('failed');
    expect(() => readFileSync(`${path}/file.txt`)).toThrow(/ENOENT/u);
    // And the next ones open it again.
    expect(directories.within(['a', 'b'], (at) => readFileSync(at('file.txt'), 'utf8'))).toBe('inside');
  });

  it('stays open while an access to another one continues in its own', () => {
    const { directories } = openDirectories();
    const both = directories.keepingOpen(() =>
      directories.within(['a', 'b'], (inner) =>
        directories.within(['c'], (outer) => [
          readFileSync(outer('file.txt'), 'utf8'),
          readFileSync(inner('file.txt'), 'utf8'),
        ]),
      ),
    );
    expect(both).toEqual(['other', 'inside']);
  });

  it.each([
    { to: 'another directory', replace: (path: string) => mkdirSync(path) },
    { to: 'nothing', replace: () => undefined },
    { to: 'a file', replace: (path: string) => writeFileSync(path, '') },
    { to: 'a link to it', replace: (path: string) => symlinkSync('../moved', path) },
  ])('is refused when its path leads to $to by the end', ({ replace }) => {
    const { root, directories } = openDirectories();
    const act = (): void =>
      directories.keepingOpen(() => {
        write(directories, 'a/b', 'one.txt');
        renameSync(join(root, 'a/b'), join(root, 'moved'));
        replace(join(root, 'a/b'));
        write(directories, 'a/b', 'two.txt');
      });
    expect(act).toThrow(changed);
  });

  it('is refused before the next one is opened', () => {
    const { root, directories } = openDirectories();
    const act = (): void =>
      directories.keepingOpen(() => {
        write(directories, 'a/b', 'one.txt');
        write(directories, 'a/b', 'two.txt');
        renameSync(join(root, 'a'), join(root, 'moved'));
        write(directories, 'c', 'three.txt');
      });
    expect(act).toThrow(changed);
    expect(() => readFileSync(join(root, 'c/three.txt'))).toThrow(/ENOENT/u);
  });

  it('leads nowhere else when a link out of the root takes its place', () => {
    const { root, directories } = openDirectories();
    const outside = testFolders().root;
    const act = (): void =>
      directories.keepingOpen(() => {
        write(directories, 'a/b', 'one.txt');
        renameSync(join(root, 'a/b'), join(root, 'moved'));
        symlinkSync(outside, join(root, 'a/b'));
        write(directories, 'a/b', 'two.txt');
      });
    expect(act).toThrow(changed);
    expect(() => readFileSync(join(outside, 'two.txt'))).toThrow(/ENOENT/u);
    rmSync(join(root, 'a/b'));
  });
});
