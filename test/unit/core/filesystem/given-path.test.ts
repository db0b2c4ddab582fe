import { describe, expect, it } from 'vitest';
import { readGivenPath } from '../../../../src/core/filesystem/index.ts';

const roots = ['/workspace', '/home/me/project'];

describe('readGivenPath', () => {
  it.each([
    ['/workspace/src/a.ts', 'src/a.ts', ['workspace/src/a.ts']],
    ['//workspace/./src//a.ts', 'src/a.ts', ['workspace/src/a.ts']],
    ['/workspace/b/../a.ts', 'a.ts', ['workspace/a.ts']],
    ['/workspace', '.', ['workspace']],
    ['/workspace/', '.', ['workspace']],
    ['/workspace/workspace/a', 'workspace/a', ['workspace/workspace/a']],
    ['/home/me/project/src/a.ts', 'src/a.ts', ['home/me/project/src/a.ts']],
    ['/workspace/**/*.ts', '**/*.ts', ['workspace/**/*.ts']],
    ['workspace/a', 'workspace/a', []],
    ['./workspace/a', './workspace/a', []],
    ['src/~/a', 'src/~/a', []],
    ['~notes', '~notes', []],
    ['c:x', 'c:x', []],
    ['file:x', 'file:x', []],
  ])('takes %s for %s', (given, path, rivals) => {
    expect(readGivenPath(given, roots)).toEqual({ kind: 'path', path, rivals });
  });

  it.each([
    ['/etc/x', 'etc/x'],
    ['/workspaces/x', 'workspaces/x'],
    ['/workspace2/x', 'workspace2/x'],
    ['/home/me/other/x', 'home/me/other/x'],
    ['/home/me', 'home/me'],
    ['/workspace/../etc/x', 'etc/x'],
    ['~/x', 'x'],
    ['~', '.'],
    ['c:/x/y', 'x/y'],
    ['C:\\x\\y', 'x/y'],
    ['file:///workspace/a%20b', 'a b'],
    ['file:///home/me/project/a', 'a'],
    ['FILE://localhost/etc/x', 'etc/x'],
    ['file:///a%zz', 'a%zz'],
  ])('refuses %s, with %s as the path to use', (given, path) => {
    const read = readGivenPath(given, roots);
    expect(read).toMatchObject({ kind: 'refused' });
    if (read.kind === 'refused') expect(read.message).toContain(`use ${JSON.stringify(path)} if`);
  });

  it('takes a path that begins with "/" as it is where no root is known', () => {
    expect(readGivenPath('/etc/x', [])).toEqual({ kind: 'path', path: '/etc/x', rivals: [] });
    expect(readGivenPath('~/x', [])).toMatchObject({ kind: 'refused' });
  });

  it('compares paths of Windows', () => {
    expect(readGivenPath('c:/me/p/src/a.ts', ['C:\\me\\p'])).toEqual({
      kind: 'path',
      path: 'src/a.ts',
      rivals: [],
    });
    expect(readGivenPath('C:\\me\\p\\a.ts', ['C:\\me\\p'])).toMatchObject({ path: 'a.ts' });
    expect(readGivenPath('c:/me/pp/a.ts', ['C:\\me\\p'])).toMatchObject({ kind: 'refused' });
  });

  it('names at most what two roots could mean', () => {
    expect(readGivenPath('/workspace/project/a', ['/workspace', '/workspace/project'])).toEqual({
      kind: 'path',
      path: 'project/a',
      rivals: ['a', 'workspace/project/a'],
    });
  });
});
