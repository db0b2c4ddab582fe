import { describe, expect, it } from 'vitest';
import { freezeJson } from '../../../../../src/core/schema/index.ts';

describe('the mark of freezeJson', () => {
  it.each([
    ['an object', () => ({ a: 1 })],
    ['a list', () => [1, 2]],
    ['an empty list', () => []],
    ['an object without prototype', () => Object.create(null)],
    ['a frozen object', () => Object.freeze({ a: 1 })],
    ['a sealed list', () => Object.seal([1])],
    ['a proxy', () => new Proxy({ a: 1 }, {})],
  ])('is not seen on %s', (_what, make: () => object) => {
    const object = make();
    const [keys, text] = [Reflect.ownKeys(object), JSON.stringify(object)];
    freezeJson({ first: object, second: [object] }, 'value');
    expect(freezeJson(object, 'value')).toBe(object);
    expect(Object.isFrozen(object)).toBe(true);
    expect([Reflect.ownKeys(object), JSON.stringify(object)]).toEqual([keys, text]);
  });

  it('is not on copies', () => {
    const value = freezeJson({ a: { b: 1 } }, 'value');
    const copy = freezeJson({ ...value, a: { ...value.a } }, 'value');
    expect(Object.isFrozen(copy.a)).toBe(true);
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

  it('visits objects that another module has frozen', () => {
    const inner = { list: [1] };
    const value = Object.freeze({ inner });
    freezeJson(value, 'value');
    expect(Object.isFrozen(inner.list)).toBe(true);
    expect(() => freezeJson(Object.freeze({ when: new Date(0) }), 'value')).toThrow(/an instance of Date/);
    expect(freezeJson(value, 'value')).toBe(value);
  });
});

describe('freezeJson on large values', () => {
  const deep = (depth: number): unknown => JSON.parse(`${'[1,'.repeat(depth)}2${']'.repeat(depth)}`);

  it.each<readonly [string, () => unknown]>([
    ['many values', () => Array.from({ length: 5_000 }, (_value, index) => ({ index }))],
    ['a long list', () => Array.from({ length: 5_000 }, (_value, index) => index)],
    ['nesting', () => deep(900)],
    ['an object of another realm', () => Object.setPrototypeOf({ a: [1] }, Object.create(null))],
  ])('freezes %s at every depth', (_what, make) => {
    const value = { inside: make() };
    const waiting: unknown[] = [freezeJson(value, 'value')];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (typeof next !== 'object' || next === null) continue;
      expect(Object.isFrozen(next)).toBe(true);
      waiting.push(...Object.values(next));
    }
  });

  it('looks once at each part of a graph whose parts are shared at every level', () => {
    let value: unknown = [1];
    for (let level = 0; level < 50; level += 1) value = { left: value, right: value };
    expect(Object.isFrozen(freezeJson(value, 'value'))).toBe(true);
  });

  it('freezes nothing of a large value when something is wrong at its end', () => {
    const items: object[] = Array.from({ length: 5_000 }, (_value, index) => ({ index }));
    expect(() => freezeJson([...items, { at: new Date(0) }], 'value')).toThrow('[5000].at');
    expect(items.some((item) => Object.isFrozen(item))).toBe(false);
  });
});
