import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGrep, hasRequired, type RequiredText } from '../../../../src/core/filesystem/index.ts';
import { requiredByEngine } from '../../../../src/core/filesystem/text/required-text.ts';
import { draws } from '../../../support/draws.ts';

const text = (part: string): RequiredText => ({ kind: 'text', text: part });

/** Parts of patterns in which a text that looks as if it were required may not be. */
const atom = fc.constantFrom(
  ...[
    'a',
    'ab',
    'k',
    's',
    'ß',
    'é',
    '😀',
    '\u212a',
    '\u017f',
    '\ufeff',
    '\\x61',
    '\\x{1F600}',
    '\\.',
    '\\Qa.b\\E',
    'a\\b',
  ],
  ...[
    '.',
    '[ab]',
    '[^a]',
    '[a]',
    '\\d',
    '\\w',
    '\\pL',
    '^',
    '$',
    '\\b',
    '\\n',
    '\\r',
    '\\A',
    '\\z',
    '(?i:ab)',
    '(?i)s',
    '(?:)',
  ],
  ...[
    '(a)',
    '(?:ab|ba)',
    '(?:a|)',
    '(?:a|b*)',
    '(?:ab){0}',
    '(?:ab){0,2}',
    '(?:ab){2}',
    '(?:ab)?',
    '(?:ab)*',
    '(?:ab)+',
    'ab??',
  ],
);
const pattern = fc.oneof(
  fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('')),
  fc
    .array(
      fc.array(atom, { maxLength: 3 }).map((atoms) => atoms.join('')),
      { minLength: 2, maxLength: 3 },
    )
    .map((options) => options.join('|')),
);
const line = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'ab',
      'A',
      'B',
      'K',
      'k',
      'S',
      's',
      '\u212a',
      '\u017f',
      'ß',
      'é',
      '😀',
      '\ufeff',
      '.',
      '1',
      ' ',
      '\r',
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));

describe('what a text must have for a pattern to be found in it', () => {
  it.each<readonly [pattern: string, required: RequiredText | undefined]>([
    ['foo\\d+', text('foo')],
    ['foo.*bar', { kind: 'all', of: [text('foo'), text('bar')] }],
    ['(foo|bar)x', { kind: 'all', of: [{ kind: 'any', of: [text('foo'), text('bar')] }, text('x')] }],
    ['foo|\\d', undefined],
    ['(?:foo)?', undefined],
    ['(?:foo){0,3}', undefined],
    ['(?i)foo', undefined],
    ['\\d+', undefined],
  ])('is known of %s', async (given, required) => {
    expect((await compileGrep({ pattern: given })).required).toEqual(required);
  });

  it('is the whole of a literal text, as far as it can be encoded', async () => {
    const requiredBy = async (given: string): Promise<RequiredText | undefined> =>
      (await compileGrep({ pattern: given, literal: true })).required;
    expect(await requiredBy('a.b')).toEqual(text('a.b'));
    expect(await requiredBy('\ud83d')).toBeUndefined();
    expect((await compileGrep({ pattern: 'k', literal: true, ignoreCase: true })).required).toBeUndefined();
  });

  it('is nothing where too many texts would have to be looked for, or the engine says something unknown', async () => {
    const many = Array.from({ length: 17 }, (_, index) => `word${index}x`).join('|');
    expect((await compileGrep({ pattern: many })).required).toBeUndefined();
    for (const condition of [
      undefined,
      null,
      7,
      {},
      { type: 1 },
      { type: 1, str: '' },
      { type: 2 },
      { type: 4, str: 'a' },
    ])
      expect(requiredByEngine(condition)).toBeUndefined();
    expect(requiredByEngine({ type: 3, subs: [{ type: 1, str: 'a' }, { type: 9 }] })).toBeUndefined();
    expect(requiredByEngine({ type: 2, subs: [{ type: 1, str: 'a' }, { type: 9 }] })).toEqual({
      kind: 'all',
      of: [text('a')],
    });
  });

  it('is in every text that has a match', async () => {
    let matching = 0;
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.array(line, { maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        async (given, lines, literal, ignoreCase) => {
          const grep = await compileGrep({ pattern: given, literal, ignoreCase }).catch(() => undefined);
          fc.pre(grep !== undefined);
          const whole = lines.join('\n');
          if (grep?.required === undefined) return;
          const [first] = [...grep.matchingLines(whole)].filter((match) => match !== undefined);
          if (first === undefined) return;
          matching += 1;
          expect(hasRequired(grep.required, (part) => whole.includes(part))).toBe(true);
          expect(hasRequired(grep.required, (part) => Buffer.from(whole).includes(part))).toBe(true);
        },
      ),
      { numRuns: draws(3000) },
    );
    expect(matching).toBeGreaterThan(0);
  });
});
