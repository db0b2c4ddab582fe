import { describe, expect, it } from 'vitest';
import { freezeJson } from '../../../src/schema/index.ts';
import { createObjectMark } from '../../../src/schema/object-mark.ts';

describe('a mark on objects', () => {
  it.each([
    ['an object', () => ({ a: 1 })],
    ['a list', () => [1, 2]],
    ['an object without prototype', () => Object.create(null)],
    ['a frozen object', () => Object.freeze({ a: 1 })],
    ['a sealed list', () => Object.seal([1])],
    ['a proxy', () => new Proxy({ a: 1 }, {})],
  ])('stays on %s, unseen', (_what, make: () => object) => {
    const [mark, other] = [createObjectMark(), createObjectMark()];
    const object = make();
    const [keys, text] = [Reflect.ownKeys(object), JSON.stringify(object)];
    expect(mark.has(object)).toBe(false);
    mark.add(object);
    mark.add(object);
    expect(mark.has(object)).toBe(true);
    expect(other.has(object)).toBe(false);
    expect(mark.has(make())).toBe(false);
    expect([Reflect.ownKeys(object), JSON.stringify(object)]).toEqual([keys, text]);
    Object.freeze(object);
    expect(mark.has(object)).toBe(true);
    expect(mark.has({ ...object })).toBe(false);
    expect(mark.has(structuredClone(Array.isArray(object) ? [...object] : { ...object }))).toBe(false);
  });
});

describe('freezeJson', () => {
  it('looks at nothing again that it has frozen', () => {
    let looks = 0;
    const counted = new Proxy(
      { a: 1 },
      {
        ownKeys: (target) => {
          looks += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    freezeJson({ counted }, 'value');
    const before = looks;
    freezeJson([counted, { counted }], 'value');
    expect(looks).toBe(before);
  });

  it('looks into what somebody else has frozen', () => {
    const inner = { list: [1] };
    const value = Object.freeze({ inner });
    freezeJson(value, 'value');
    expect(Object.isFrozen(inner.list)).toBe(true);
    expect(() => freezeJson(Object.freeze({ when: new Date(0) }), 'value')).toThrow(/an instance of Date/);
    expect(freezeJson(value, 'value')).toBe(value);
  });
});
