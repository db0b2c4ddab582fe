import { describe, expect, it } from 'vitest';
import { PersistentMap } from '../../../../src/core/internal/index.ts';
import { hashText } from '../../../../src/core/internal/persistent-map.ts';

const byKey = ([left]: readonly unknown[], [right]: readonly unknown[]): number =>
  String(left) < String(right) ? -1 : 1;

function mapOf(...keys: readonly string[]): PersistentMap<number> {
  return keys.reduce((map, key, index) => map.set(key, index), PersistentMap.empty<number>());
}

/** Two different keys with one hash. */
function collidingKeys(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let number = 0; number < 2_000_000; number += 1) {
    const key = `k${number.toString(36)}`;
    const hash = hashText(key);
    const other = seen.get(hash);
    if (other !== undefined) return [other, key];
    seen.set(hash, key);
  }
  throw new Error('no collision among two million keys');
}

describe('PersistentMap', () => {
  it('is one instance when empty', () => {
    expect(PersistentMap.empty()).toBe(PersistentMap.empty());
    expect(mapOf('a').delete('a')).toBe(PersistentMap.empty());
  });

  it('leaves the original map unchanged', () => {
    const before = mapOf('a', 'b');
    const after = before.set('a', 7).delete('b').set('c', 8);
    expect([...before].sort(byKey)).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect([...after].sort(byKey)).toEqual([
      ['a', 7],
      ['c', 8],
    ]);
  });

  it('returns itself for a change that changes nothing', () => {
    const map = mapOf('a');
    expect(map.set('a', 0)).toBe(map);
    expect(map.delete('absent')).toBe(map);
  });

  it('distinguishes a key with the value undefined from an absent key', () => {
    const map = PersistentMap.empty<undefined>().set('a', undefined);
    expect([map.size, map.has('a'), map.has('b')]).toEqual([1, true, false]);
    expect(map.delete('a').has('a')).toBe(false);
    expect(map.set('a', undefined)).toBe(map);
  });

  it('accepts keys that have a meaning on plain objects', () => {
    const map = mapOf('__proto__', 'constructor', 'toString', '');
    expect(['__proto__', 'constructor', 'toString', ''].map((key) => map.get(key))).toEqual([0, 1, 2, 3]);
    expect(map.get('hasOwnProperty')).toBeUndefined();
  });

  it('keeps keys with the same hash apart', () => {
    const [first, second] = collidingKeys();
    const both = mapOf(first, second, 'other');
    expect([both.get(first), both.get(second), both.size]).toEqual([0, 1, 3]);
    const changed = both.set(first, 9);
    expect([changed.get(first), changed.get(second), changed.size]).toEqual([9, 1, 3]);
    const left = changed.delete(first);
    expect([left.has(first), left.get(second), left.size]).toEqual([false, 1, 2]);
    expect([...PersistentMap.differences(both, left)]).toEqual([
      { key: first, hasBefore: true, before: 0, hasAfter: false, after: undefined },
    ]);
    expect(left.delete(second).delete('other')).toBe(PersistentMap.empty());
  });

  it('finds the differences of two maps', () => {
    const before = mapOf('a', 'b', 'c');
    const after = before.set('a', 7).delete('b').set('d', 8);
    const found = [...PersistentMap.differences(before, after)].map(({ key, before: old, after: now }) => [
      key,
      old,
      now,
    ]);
    expect(found.sort(byKey)).toEqual([
      ['a', 0, 7],
      ['b', 1, undefined],
      ['d', undefined, 8],
    ]);
    expect([...PersistentMap.differences(before, before.set('a', 7).set('a', 0))]).toEqual([]);
  });
});
