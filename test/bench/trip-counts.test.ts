import { describe, expect, it } from 'vitest';
import { callsOfOne } from '../../bench/trips/coverage.ts';
import { formatTrip } from '../../bench/trips/format-trip.ts';

const script = (file: string, calls: Readonly<Record<string, number>>) => ({
  scriptId: '1',
  url: `file:///lib/${file}`,
  functions: Object.entries(calls).map(([functionName, count], index) => ({
    functionName,
    isBlockCoverage: false,
    ranges: [{ startOffset: 10 * index, endOffset: 10 * index + 5, count }],
  })),
});

const calls = (short: object, long: object) =>
  callsOfOne(
    [script('b/two.js', short as Record<string, number>)],
    [script('b/two.js', long as Record<string, number>)],
    10,
    '/lib',
  ).map((called) => [called.name, called.calls]);

describe('callsOfOne', () => {
  it('takes what one more repetition calls, and not what a run calls once', () => {
    expect(calls({ each: 5, twice: 10, once: 1 }, { each: 15, twice: 30, once: 1 })).toEqual([
      ['each', 1],
      ['twice', 2],
    ]);
  });

  it('counts what only the long run calls', () => {
    expect(calls({}, { late: 10 })).toEqual([['late', 1]]);
  });

  it('leaves out functions without a name and those that few repetitions call', () => {
    expect(calls({ '': 5, seldom: 0, often: 0 }, { '': 15, seldom: 4, often: 5 })).toEqual([['often', 0.5]]);
  });

  it('keeps two functions of one name apart', () => {
    const twins = (first: number, second: number) => [
      {
        ...script('a.js', {}),
        functions: [0, 10].map((startOffset, index) => ({
          functionName: 'get',
          isBlockCoverage: false,
          ranges: [{ startOffset, endOffset: startOffset + 5, count: [first, second][index] ?? 0 }],
        })),
      },
    ];
    expect(callsOfOne(twins(10, 0), twins(20, 30), 10, '/lib')).toEqual([
      { file: 'a.ts', name: 'get', offset: 0, calls: 1 },
      { file: 'a.ts', name: 'get', offset: 10, calls: 3 },
    ]);
  });

  it('sees nothing outside the folder, and sorts by file', () => {
    const at = (url: string) => ({ ...script('x.js', { called: 10 }), url });
    const scripts = ['node:fs', 'file:///other/x.js', 'file:///lib/b.js', 'file:///lib/a/c.js'].map(at);
    expect(callsOfOne([], scripts, 10, '/lib').map(({ file }) => file)).toEqual(['a/c.ts', 'b.ts']);
  });
});

describe('formatTrip', () => {
  const functions = [
    { file: 'a/one.ts', name: 'first', offset: 0, calls: 1 },
    { file: 'a/one.ts', name: 'second', offset: 9, calls: 2.5 },
    { file: 'b/two.ts', name: 'third', offset: 0, calls: 1 },
  ];

  it('sums up by folder', () => {
    expect(formatTrip({ name: 'trip', title: 'A trip', functions }, false).split('\n')).toEqual([
      'trip: A trip',
      '  2 files, 3 functions, 5 calls',
      '  a                    1 files, 2 functions, 4 calls',
      '  b                    1 files, 1 functions, 1 calls',
    ]);
  });

  it('lists every function', () => {
    expect(formatTrip({ name: 'trip', title: 'A trip', functions }, true).split('\n').slice(2)).toEqual([
      '  a                    1 files, 2 functions, 4 calls',
      '    a/one.ts',
      '      first',
      '      second x 2.5',
      '  b                    1 files, 1 functions, 1 calls',
      '    b/two.ts',
      '      third',
    ]);
  });
});
