import { describe, expect, it } from 'vitest';
import { pythonText } from '../../../../../src/host/sandbox/evaluate/python-text.ts';

const tuple = (...values: readonly unknown[]): unknown => Object.assign([...values], { __tuple__: true });

describe('pythonText', () => {
  it.each([
    [new Set([1, 'a']), '{1, "a"}'],
    [new Set(), 'set()'],
    [2n ** 70n, '1180591620717411303424'],
    [[tuple(1, 2), tuple(1), null, true, false], '[(1, 2), (1,), None, True, False]'],
    [new Map<unknown, unknown>([[1, new Map([['a', Number.NaN]])]]), '{1: {"a": nan}}'],
    [[Infinity, -Infinity, 1.5], '[inf, -inf, 1.5]'],
    [Uint8Array.of(1, 255), 'bytes.fromhex("01ff")'],
    [{ __monty_type__: 'Type', value: 'int' }, '<Type value="int">'],
    [{ __monty_type__: 'Ellipsis' }, '<Ellipsis>'],
    ['range(0, 3)', 'range(0, 3)'],
  ])('shows %o', (value, expected) => {
    expect(pythonText(value)).toBe(expected);
  });

  it('ends for what is nested deeply', () => {
    let value: unknown = new Set();
    for (let depth = 0; depth < 10_000; depth += 1) value = [value];
    expect(pythonText(value)).toContain('...');
  });
});
