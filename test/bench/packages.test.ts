import { describe, expect, it } from 'vitest';
import { leaveOutPackages, packageOf, readPackages } from '../../bench/harness/packages.ts';
import { contenderNamed, rowOf } from './rows-support.ts';

const packages = ['ai', 'memfs'];

describe('packages', () => {
  it('are known by the first word of a name', () => {
    expect(packageOf('memfs toJSON', packages)).toBe('memfs');
    expect(packageOf('ai', packages)).toBe('ai');
    expect(packageOf('aim', packages)).toBeUndefined();
    expect(packageOf('git', packages)).toBeUndefined();
  });

  it('are left out by name where they are not installed, with rows that nobody is left in', () => {
    const rows = [
      rowOf('a', [contenderNamed('by hand'), contenderNamed('ai')]),
      rowOf('b', [contenderNamed('memfs x')]),
    ];
    const { rows: rest, leftOut } = leaveOutPackages(rows, packages);
    expect(rest.map(({ id, contenders }) => `${id} ${contenders.map(({ name }) => name)}`)).toEqual([
      'a by hand',
    ]);
    expect(leftOut).toEqual(['ai', 'memfs x']);
  });

  it('are those that the benchmarks depend on', () => {
    expect(readPackages('bench/package.json')).toEqual(
      expect.arrayContaining(['@earendil-works/pi-agent-core', '@mariozechner/pi-agent-core']),
    );
  });
});
