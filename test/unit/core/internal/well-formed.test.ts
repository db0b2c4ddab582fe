import { describe, expect, test } from 'vitest';
import {
  wellFormed,
  wellFormedJson,
  wellFormedSaid,
  wholeStart,
} from '../../../../src/core/internal/index.ts';

const half = '\uD83D';
const other = '\uDE00';
const mark = '\uFFFD';

describe('a value', () => {
  test('that is well-formed is the same object', () => {
    const value = { a: ['😀', { b: 1 }], c: null, d: new Uint8Array(2) };
    expect(wellFormed(value)).toBe(value);
    expect(wellFormed(undefined)).toBeUndefined();
    expect(wellFormed(3)).toBe(3);
  });

  test('has U+FFFD in the place of each half, at any depth and in its keys', () => {
    expect(wellFormed(`a${half}`)).toBe(`a${mark}`);
    const value = { list: [`${other}😀${half}`], [`k${half}`]: { deep: [[half]] } };
    expect(wellFormed(value)).toEqual({ list: [`${mark}😀${mark}`], [`k${mark}`]: { deep: [[mark]] } });
    expect(value.list[0]).toContain(half);
  });

  test('loses no member to another one with the same key', () => {
    const value = { [half]: 1, [other]: 2, [mark]: 3 };
    expect(wellFormed(value)).toEqual({ [`${mark}${mark}`]: 1, [`${mark}${mark}${mark}`]: 2, [mark]: 3 });
  });

  test('keeps a member called __proto__ as a member', () => {
    const value = JSON.parse(`{"__proto__":{"x":1},"a":"\\ud83d"}`);
    expect(JSON.stringify(wellFormed(value))).toBe(`{"__proto__":{"x":1},"a":"${mark}"}`);
  });

  test.each([1_999, 2_000, 2_001, 5_000])('is found behind %i values', (count) => {
    const list = [...Array.from({ length: count }, () => 'a'), half];
    expect(wellFormed({ list, last: [half] })).toEqual({
      list: [...list.slice(0, count), mark],
      last: [mark],
    });
    const rows = [...Array.from({ length: count }, () => ({ a: 1 })), { a: { b: half } }];
    expect(wellFormed(rows).at(-1)).toEqual({ a: { b: mark } });
    const sound = rows.slice(0, count);
    expect(wellFormed(sound)).toBe(sound);
  });

  test('takes no time that grows with what is shared', () => {
    let shared: readonly unknown[] = ['a'];
    for (let depth = 0; depth < 60; depth += 1) shared = [shared, shared];
    expect(wellFormed(shared)).toBe(shared);
  });

  test('may be nested deeper than the stack is, and contain itself', () => {
    let deep: unknown = half;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(wellFormed(deep) === deep).toBe(false);
    const loop: { self?: unknown; text: string } = { text: half };
    loop.self = loop;
    const copy = wellFormed(loop);
    expect(copy.text).toBe(mark);
    expect(copy.self).toBe(copy);
  });
});

describe('a JSON text', () => {
  test.each([
    ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\uD83D\\uDE00"}', '{"a":"\\uD83D\\uDE00"}'],
    ['{"a":"\\ude00\\ud83d"}', '{"a":"\\ufffd\\ufffd"}'],
    ['{"a":"\\\\ud83d"}', '{"a":"\\\\ud83d"}'],
    ['{"id":9007199254740993,"\\ud83dk":"x"}', '{"id":9007199254740993,"\\ufffdk":"x"}'],
    [`{"a":"${half}"}`, `{"a":"${mark}"}`],
    ['write \\ud83d', 'write \\ud83d'],
  ])('%s has no half, in writing nor as an escape', (text, expected) => {
    expect(wellFormedJson(text)).toBe(expected);
  });

  test('is what models and providers write as arguments', () => {
    const said = { content: [{ type: 'tool-call', arguments: '{"a":"\\ud83d"}' }], text: '\\ud83d' };
    expect(wellFormedSaid(said)).toEqual({
      content: [{ type: 'tool-call', arguments: '{"a":"\\ufffd"}' }],
      text: '\\ud83d',
    });
  });
});

test('the start of a text that continues does not end in half a pair', () => {
  expect(wholeStart('a😀', 3)).toBe('a😀');
  expect(wholeStart('a😀', 2)).toBe('a');
  expect(wholeStart(`a${half}`, 2)).toBe('a');
  expect(wholeStart('', 0)).toBe('');
});
