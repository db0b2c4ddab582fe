import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromReferences, toReferences } from '../../src/record/format/references.ts';
import { draws } from '../support/draws.ts';

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('x'.repeat(64), 'y'.repeat(65), 'z'.repeat(512), 'w'.repeat(513), '\ud800'.repeat(600)),
);
const keys = fc.oneof(
  fc.string(),
  fc.constantFrom('$ref', '$$ref', '$$$ref', '__proto__', 'constructor', 'type'),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1.5),
    texts,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(keys, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

it('any JSON comes back from a row as it was', () => {
  fc.assert(
    fc.property(json, (value) => {
      const blobs = new Map<string, string>();
      const row = toReferences(value, (text) => {
        const hash = `hash ${blobs.size}`;
        blobs.set(hash, text);
        return hash;
      });
      const line = JSON.stringify(row);
      const read = fromReferences(JSON.parse(line), (hash) => blobs.get(hash));
      expect(JSON.stringify(read)).toBe(JSON.stringify(value));
      for (const text of blobs.values()) expect(text.length).toBeGreaterThan(64);
    }),
    { numRuns: draws(2_000) },
  );
});

it('texts over 512 characters, and those over 64 that come twice, are references', () => {
  const kept: string[] = [];
  const twice = 'a'.repeat(65);
  const long = 'b'.repeat(513);
  const row = { once: 'c'.repeat(512), one: twice, two: twice, long, short: ['d', 'd'], undef: undefined };
  const hashOf = (text: string): string => `${kept.push(text)}`;
  expect(toReferences(row, hashOf)).toEqual({
    once: row.once,
    one: { $ref: '1' },
    two: { $ref: '2' },
    long: { $ref: '3' },
    short: ['d', 'd'],
  });
  expect(kept).toEqual([twice, twice, long]);
});

it('texts with half of a surrogate pair stay in place: all of them have the same hash', () => {
  const row = {
    high: '\ud800'.repeat(600),
    other: '\ud801'.repeat(600),
    twice: ['\udc00'.repeat(65), '\udc00'.repeat(65)],
  };
  const none = (): string => {
    throw new Error('It was kept.');
  };
  expect(toReferences(row, none)).toEqual(row);
  expect(() => toReferences({ pair: '\ud83d\ude00'.repeat(300) }, none)).toThrow('It was kept.');
});
