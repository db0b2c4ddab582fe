import { describe, expect, it } from 'vitest';
import { PersistentVector } from '../../../../src/core/internal/index.ts';

function upTo(length: number): PersistentVector<number> {
  return PersistentVector.from(Array.from({ length }, (_, index) => index));
}

describe('PersistentVector', () => {
  it('is one instance when empty', () => {
    expect(PersistentVector.from([])).toBe(PersistentVector.empty());
    expect(PersistentVector.empty().toArray()).toEqual([]);
  });

  // Around full tails (32) and full tries of one, two and three levels.
  it.each([1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 1056, 1057, 32_767, 32_768, 32_800, 32_801, 33_825])(
    'holds %i items, made at once or one by one',
    (length) => {
      let pushed = PersistentVector.empty<number>();
      for (let index = 0; index < length; index += 1) pushed = pushed.push(index);
      const expected = Array.from({ length }, (_, index) => index);
      for (const vector of [pushed, upTo(length), upTo(length - 1).push(length - 1)]) {
        expect(vector.length).toBe(length);
        expect(vector.toArray()).toEqual(expected);
        expect([...vector]).toEqual(expected);
        expect([vector.at(0), vector.at(-1), vector.at(length), vector.at(-length - 1)]).toEqual([
          0,
          length - 1,
          undefined,
          undefined,
        ]);
        expect(expected.every((index) => vector.at(index) === index)).toBe(true);
      }
    },
  );

  it('leaves the original list unchanged, also when both are extended', () => {
    const before = upTo(32);
    const left = before.push(-1);
    const right = before.push(-2);
    expect([before.length, before.at(-1), left.at(-1), right.at(-1)]).toEqual([32, 31, -1, -2]);
  });

  it('creates its array once, frozen', () => {
    const vector = upTo(40);
    expect(vector.toArray()).toBe(vector.toArray());
    expect(Object.isFrozen(vector.toArray())).toBe(true);
  });
});
