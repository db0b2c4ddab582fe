import { describe, expect, it } from 'vitest';
import { isPlainObject, isPromiseLike, isRecord } from '../../../../src/core/internal/index.ts';

class Instance {
  readonly field = 1;
}

describe('type tests', () => {
  it.each([
    ['an object literal', {}, true, true],
    ['an object without prototype', Object.create(null), true, true],
    ['an instance', new Instance(), true, false],
    ['an array', [], false, false],
    ['null', null, false, false],
    ['a function', () => undefined, false, false],
    ['a string', 'a', false, false],
    ['undefined', undefined, false, false],
  ])('tells whether %s is a record and a plain object', (_, value: unknown, record, plain) => {
    expect([isRecord(value), isPlainObject(value)]).toEqual([record, plain]);
  });

  it('recognizes any object with a then method as a promise, including a proxy without the "has" trap', () => {
    const builder = new Proxy({}, { get: (_, key) => (key === 'then' ? () => undefined : undefined) });
    // oxlint-disable-next-line unicorn/no-thenable -- What the test is about.
    const values: readonly unknown[] = [
      Promise.resolve(),
      { then: () => undefined },
      builder,
      { then: 1 },
      {},
      null,
    ];
    expect(values.map((value) => isPromiseLike(value))).toEqual([true, true, true, false, false, false]);
  });
});
