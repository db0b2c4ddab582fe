import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  memberText,
  readUnrounded,
  roundedIntegers,
  unsafeIntegers,
} from '../../../../src/core/internal/json-source.ts';

const placesOf = (found: ReturnType<typeof roundedIntegers>) =>
  found.map(({ path, digits }) => [path.join('/'), digits]);

describe('integers that a number does not hold', () => {
  it.each<[string, string, readonly (readonly [string, string])[]]>([
    [
      '2^53 is held, the next one is not',
      '[9007199254740992, 9007199254740993]',
      [['1', '9007199254740993']],
    ],
    ['negative ones', '{"a":-9007199254740993}', [['a', '-9007199254740993']]],
    ['even ones that are held', '{"a":9007199254740994,"b":1000000000000000000000}', []],
    ['fractions and exponents are as ever', '[9007199254740993.5, 9007199254740993e0, 1.0e400]', []],
    ['more digits than a number has', `[1${'0'.repeat(400)}1]`, [['0', `1${'0'.repeat(400)}1`]]],
    ['digits in texts and keys', '{"9007199254740993":"9007199254740993 \\" 9007199254740993"}', []],
    ['at the root', ' 9007199254740993 ', [['', '9007199254740993']]],
    [
      'at any depth, after what looks like an end',
      '{"a":["]}","\\\\",{"b":null,"c\\"":[true,{},[],9007199254740993]}]}',
      [['a/2/c"/3', '9007199254740993']],
    ],
    ['under names of prototypes', '{"__proto__":9007199254740993}', [['__proto__', '9007199254740993']]],
    ['of a text that is not JSON', '{"a":9007199254740993', []],
  ])('%s', (_name, text, expected) => {
    expect(placesOf(roundedIntegers(text))).toEqual(expected);
  });

  it('are found where a number has another value than its digits', () => {
    const digits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), digits), { maxLength: 5 }), (entries) => {
        const text = `{"list":[${entries.map(([key, value]) => `{${JSON.stringify(key)}: ${value} }`).join(' , ')}]}`;
        const wrong = entries.flatMap(([key, value], index) =>
          BigInt(Number(value)) === BigInt(value) ? [] : [{ path: ['list', index, key], digits: value }],
        );
        expect(roundedIntegers(text)).toEqual(wrong);
        expect(readUnrounded(text)).toEqual({
          list: entries.map(([key, value]) =>
            Object.fromEntries([[key, BigInt(Number(value)) === BigInt(value) ? Number(value) : value]]),
          ),
        });
      }),
    );
  });
});

describe('integers of a value that was parsed before', () => {
  it.each<[string, unknown, readonly (readonly [string, string])[]]>([
    ['the largest safe ones', [2 ** 53 - 1, -(2 ** 53 - 1)], []],
    [
      'beyond them',
      { a: 2 ** 53, b: -(2 ** 53) },
      [
        ['a', '9007199254740992'],
        ['b', '-9007199254740992'],
      ],
    ],
    [
      'written with an exponent',
      [1e21, 1e20],
      [
        ['0', '1e+21'],
        ['1', '100000000000000000000'],
      ],
    ],
    ['fractions', [1.5, 0.1 + 0.2, 1e-7], []],
  ])('%s', (_name, value, expected) => {
    expect(placesOf(unsafeIntegers(JSON.stringify(value)))).toEqual(expected);
  });

  it('are not those that a model wrote with a fraction or an exponent', () => {
    expect(unsafeIntegers('[1e22, 1.5e300, 9007199254740993.0]')).toEqual([]);
  });
});

it('keeps a value of a key that comes twice', () => {
  expect(readUnrounded('{"a":9007199254740993,"a":1}')).toEqual({ a: 1 });
  expect(readUnrounded('{"a":{"b":9007199254740993},"a":9007199254740992}')).toEqual({ a: 2 ** 53 });
});

it('leaves every other value as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (text, other) => {
      if (roundedIntegers(text).length === 0) expect(readUnrounded(text)).toEqual(JSON.parse(text));
      expect(memberText(`{"x":${other}, "a b" :${text}}`, 'a b')).toBe(text);
    }),
  );
  expect(readUnrounded('{')).toBeUndefined();
});
