import { expect, expectTypeOf, test } from 'vitest';
import { present } from '../../../../src/core/internal/index.ts';

test('leaves out what is undefined, and nothing else, in the order of the members', () => {
  const left = present({ a: 1, b: undefined, c: null, d: '', e: undefined, f: false, g: 0 });
  expect(Object.entries(left)).toStrictEqual([
    ['a', 1],
    ['c', null],
    ['d', ''],
    ['f', false],
    ['g', 0],
  ]);
});

test('has nothing where all is undefined', () => {
  expect(present({ a: undefined })).toStrictEqual({});
});

test('makes a member that may be undefined one that may be absent', () => {
  const size = 3 as number | undefined;
  expectTypeOf(present({ size, name: 'a' })).toExtend<{ name: string; size?: number }>();
});
