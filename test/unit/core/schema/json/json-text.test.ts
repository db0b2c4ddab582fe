import { describe, expect, it } from 'vitest';
import { canonicalJson, freezeJson, renderJson } from '../../../../../src/core/schema/index.ts';

class Point {
  x = 1;
}

describe('freezeJson', () => {
  it('freezes in place at every depth and gives the same object back', () => {
    const value = { a: [{ b: { c: 1 } }], d: undefined, e: null };
    const frozen = freezeJson(value, 'it');
    expect(frozen).toBe(value);
    expect(Object.isFrozen(frozen.a[0]?.b)).toBe(true);
    expect(() => Object.assign(value.a[0]?.b ?? {}, { c: 2 })).toThrow(TypeError);
  });

  it('accepts scalars, undefined, objects without a prototype and shared parts', () => {
    const shared = { x: 1 };
    expect(freezeJson('text', 'it')).toBe('text');
    expect(freezeJson(undefined, 'it')).toBeUndefined();
    expect(freezeJson([shared, shared, { shared }], 'it')).toHaveLength(3);
    expect(Object.isFrozen(freezeJson(Object.assign(Object.create(null), { a: 1 }), 'it'))).toBe(true);
  });

  it.each<readonly [string, unknown, string]>([
    [
      'a class instance',
      { at: [new Point()] },
      'Not plain JSON: event "Moved" at at[0] holds an instance of Point; pass plain objects and lists.',
    ],
    ['a date', { at: new Date(0) }, 'at at holds an instance of Date'],
    ['a map', { at: new Map() }, 'at at holds an instance of Map'],
    ['bytes', { at: new Uint8Array(2) }, 'at at holds bytes (encode them as base64 text)'],
    ['a function', { at: () => 1 }, 'at at holds a function, which JSON cannot carry'],
    ['a symbol', { at: Symbol('x') }, 'at at holds a symbol'],
    ['a bigint', { at: 1n }, 'at at holds a bigint'],
    ['NaN', { at: [1, Number.NaN] }, 'at at[1] holds NaN'],
    ['an infinity', Number.POSITIVE_INFINITY, 'event "Moved" holds Infinity'],
    ['undefined in a list', [undefined], 'at [0] holds undefined'],
    ['a key that is a symbol', { [Symbol('k')]: 1 }, 'has a key that is a symbol'],
  ])('refuses %s, naming the place', (_name, value, message) => {
    expect(() => freezeJson(value, 'event "Moved"')).toThrow(message);
    expect(() => freezeJson(value, 'event "Moved"')).toThrow(
      expect.objectContaining({ code: 'value-not-json' }),
    );
  });

  it('refuses a value that contains itself', () => {
    const value: Record<string, unknown> = { a: {} };
    value['b'] = { back: [value] };
    expect(() => freezeJson(value, 'it')).toThrow(
      'it at b.back[0] refers back to an object that contains it',
    );
  });

  it('refuses nesting deeper than a thousand levels without running out of stack', () => {
    const value: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(() => freezeJson(value, 'it')).toThrow('is nested deeper than 1000 levels');
  });

  it('freezes nothing when something is wrong', () => {
    const value = { good: { a: 1 }, bad: Number.NaN };
    expect(() => freezeJson(value, 'it')).toThrow();
    expect(Object.isFrozen(value.good)).toBe(false);
  });

  it('does not look again at what it has frozen', () => {
    let looks = 0;
    const inner = new Proxy(
      { a: 1 },
      {
        ownKeys: (target) => {
          looks += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    freezeJson(inner, 'it');
    const before = looks;
    freezeJson({ inner }, 'it');
    expect(looks).toBe(before);
  });

  it('refuses a getter at any depth, which may give another value each time', () => {
    let reads = 0;
    const list = [
      {
        get counted(): number {
          reads += 1;
          return reads;
        },
      },
    ];
    expect(() => freezeJson({ list }, 'it')).toThrow('Not plain JSON: it at list[0].counted is a getter');
    expect(Object.isFrozen(list)).toBe(false);
    expect(reads).toBe(0);
  });

  it('checks objects again that another module has frozen', () => {
    expect(() => freezeJson({ a: Object.freeze({ b: Number.NaN }) }, 'it')).toThrow('a.b');
  });
});

describe('canonicalJson', () => {
  it('sorts keys by code units at every depth and leaves undefined out', () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: 'x' }], B: true, z: undefined })).toBe(
      '{"B":true,"a":[{"c":"x","d":null}],"b":1}',
    );
    expect(canonicalJson({ '😀': 1, '\uFF5E': 2 })).toBe('{"😀":1,"～":2}');
  });

  it('refuses numbers that JSON cannot carry', () => {
    expect(() => canonicalJson([Number.NaN])).toThrow(expect.objectContaining({ code: 'value-not-json' }));
  });
});

describe('renderJson', () => {
  it('drops null and undefined members, keeps nulls in lists, sorts keys', () => {
    expect(renderJson({ b: null, a: undefined, d: [null, undefined, 1], c: { z: 1, y: 'ü' } })).toBe(
      '{"c":{"y":"ü","z":1},"d":[null,null,1]}',
    );
  });

  it.each<readonly [unknown, string]>([
    [undefined, ''],
    [null, 'null'],
    ['text', '"text"'],
    [Number.NaN, '"NaN"'],
    [12n, '"12"'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new Uint8Array(3), '"[3 bytes]"'],
    [new Map([['a', 1]]), '{}'],
    [() => 1, ''],
  ])('writes %s as %s', (value, expected) => {
    expect(renderJson(value)).toBe(expected);
  });

  it('never throws', () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic['self'] = cyclic;
    expect(renderJson(cyclic)).toBe('{"a":1,"self":"[circular]"}');
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(renderJson({ throwing })).toBe('{"throwing":"[unreadable]"}');
    expect(renderJson({ toJSON: () => ({ a: 1 }) })).toBe('{"a":1}');
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(renderJson(deep)).toContain('[nested too deeply]');
    expect(
      renderJson(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
      ),
    ).toBe('"[unreadable]"');
  });
});
