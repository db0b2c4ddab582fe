import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearSyntax, readPatterns } from '../../../../../src/harness/mcp/mount/linear-patterns.ts';
import { draws, seenAtLeast } from '../../../../support/draws.ts';

async function findsIn(source: string, text: string): Promise<boolean | undefined> {
  return (await readPatterns([source])).read(source)?.test(text);
}

describe('patterns of a server', () => {
  it.each([
    ['', 'a', true],
    ['^a.c$', 'a\u2028c', false],
    ['^a.c$', 'a😀c', true],
    ['^a$', 'a\n', false],
    ['^\\s$', '\u00a0', true],
    ['^[\\s_]$', '\u3000', true],
    ['^[\\S]$', '\u00a0', false],
    ['^\\S$', 'é', true],
    ['^[^]$', '\n', true],
    ['[]', 'a', false],
    ['^[[:alpha:]\\]$', ':]', true],
    ['^[\\b]$', '\b', true],
    ['\\bb', 'a b', true],
    ['^\\u0041\\u{1f600}\\x42\\cJ\\0$', 'A😀B\n\0', true],
    ['^\\ud83d\\ude00$', '😀', true],
    ['^(?<year>\\d{4})$', '2024', true],
    ['^\\p{Script=Greek}+$', 'αβ', true],
    ['^\\P{sc=Greek}+$', 'αβ', false],
    ['^\\p{L}\\/[\\-]$', 'a/-', true],
    ['^(b*)*$', 'bb', true],
  ])('%s are read as in ECMA-262', async (source, text, expected) => {
    expect(await findsIn(source, text)).toBe(expected);
    expect(new RegExp(source, 'u').test(text)).toBe(expected);
  });

  it.each([
    '^(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '(?<x>a)\\k<x>',
    'a{2000}',
    '(a{100}){100}',
    'a'.repeat(2001),
    '(',
  ])('%s are not read', async (source) => {
    expect(await findsIn(source, 'a')).toBeUndefined();
    expect((await readPatterns([source, 'b'])).unread).toEqual([source]);
  });

  it('are read up to a size of all together', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `a{900}${index}`);
    const { read, unread } = await readPatterns(many);
    expect(read('a{900}0')).toBeDefined();
    expect(unread.length).toBeGreaterThan(20);
    expect(unread.length).toBeLessThan(80);
  });

  it('agree with the engine of the language', async () => {
    const atom = fc.constantFrom(
      ...[
        'a',
        'b',
        '.',
        '\\s',
        '\\S',
        '\\d',
        '\\w',
        '\\W',
        '[ab]',
        '[^a]',
        '[\\s-]',
        '[\\Sa]',
        '[^\\s]',
        '[[a]',
      ],
      ...[
        '\\u0061',
        '\\x62',
        '\\n',
        '\\.',
        '\\[',
        '[\\]a]',
        '[.]',
        '(?:a|b)',
        '(a)',
        '(?<n>b)',
        '^',
        '$',
        '\\b',
      ],
    );
    const repeat = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '*?');
    const pattern = fc
      .array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 4 })
      .map((parts) =>
        parts.map(([each, times]) => (['^', '$', '\\b'].includes(each) ? each : `${each}${times}`)).join(''),
      );
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '\n', '\u00a0', '1', '[', ']', '.', '-', '\u2028', '😀'),
      maxLength: 6,
    });
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(pattern, text, async (source, subject) => {
        let native: RegExp;
        try {
          native = new RegExp(source, 'u');
        } catch {
          return;
        }
        seen += 1;
        expect([linearSyntax(source), await findsIn(source, subject)]).toEqual([
          linearSyntax(source),
          native.test(subject),
        ]);
      }),
      { numRuns: draws(3_000) },
    );
    expect(seen).toBeGreaterThan(seenAtLeast(1_000));
  });
});
