import { describe, expect, it } from 'vitest';
import { freezeData, frozenCopy, writableCopy } from '../../../../src/core/internal/index.ts';

describe('freezeData', () => {
  it('freezes plain objects and lists at every depth, and leaves instances as they are', () => {
    const date = new Date(0);
    const value = { list: [{ a: 1 }], bare: Object.assign(Object.create(null), { b: [] }), date };
    expect(freezeData(value)).toBe(value);
    expect([value, value.list, value.list[0], value.bare, value.bare.b].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(date)).toBe(false);
  });

  it('takes what is nested deeper than the stack', () => {
    let value: unknown[] = [];
    const innermost = value;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    freezeData(value);
    expect(Object.isFrozen(innermost)).toBe(true);
  });

  it('freezes what a null stands beside', () => {
    const value = { first: null, inner: { a: 1 }, last: undefined };
    freezeData(value);
    expect(Object.isFrozen(value.inner)).toBe(true);
  });
});

describe('frozenCopy', () => {
  it('shares nothing with the value', () => {
    const value = { list: [{ a: 1 }], text: 'x', none: undefined, ['__proto__']: { b: 2 } };
    Object.defineProperty(value, '__proto__', { value: { b: 2 }, enumerable: true });
    const copy = frozenCopy(value);
    expect(copy).toEqual({ value, isFrozen: true });
    expect(Object.getOwnPropertyNames(copy?.value)).toEqual(Object.getOwnPropertyNames(value));
    value.list[0] = { a: 9 };
    expect(copy?.value).toHaveProperty('list', [{ a: 1 }]);
    expect(Object.isFrozen(Reflect.get(Object(copy?.value), 'list'))).toBe(true);
  });

  it('copies dates, maps, sets and bytes, which cannot be frozen', () => {
    const value = {
      at: new Date(1),
      by: new Map([['k', { a: 1 }]]),
      of: new Set([1]),
      data: new Uint8Array([1]),
    };
    const copy = frozenCopy(value);
    expect(copy).toEqual({ value, isFrozen: false });
    value.at.setTime(5);
    value.by.clear();
    value.of.add(2);
    value.data[0] = 7;
    expect(copy?.value).toEqual({
      at: new Date(1),
      by: new Map([['k', { a: 1 }]]),
      of: new Set([1]),
      data: new Uint8Array([1]),
    });
  });

  class Money {
    cents = 1;
  }
  class LaterDate extends Date {}
  const cycle: unknown[] = [];
  cycle.push(cycle);
  it.each([
    ['an instance', { price: new Money() }],
    ['an instance of a subclass', [new LaterDate(0)]],
    [
      'a getter',
      {
        get a() {
          return 1;
        },
      },
    ],
    ['a function', { run: () => 1 }],
    ['a key that is a symbol', { [Symbol('s')]: 1 }],
    ['a cycle', cycle],
  ])('gives none of %s', (_what, value) => {
    expect(frozenCopy(value)).toBeUndefined();
  });
});

describe('writableCopy', () => {
  it('can be changed at every depth', () => {
    const value = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]) });
    const copy = writableCopy(value);
    expect(copy).toEqual(value);
    const [first] = Reflect.get(Object(copy), 'list');
    first.a = 2;
    expect(value.list[0]?.a).toBe(1);
  });
});
