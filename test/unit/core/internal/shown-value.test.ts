import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from 'weakincentives';
import { allLines, allValues, briefText, briefValues } from '../../../../src/core/internal/shown-value.ts';
import { draws } from '../../../support/draws.ts';

/** What a model can put between the parts of a command: nothing of it is seen. */
const blanks = fc
  .tuple(
    fc.constantFrom(
      ' ',
      '\n',
      '\t',
      '\r\n',
      '\u00a0',
      '\u2003',
      '\u200b',
      '\u2800',
      '\u3164',
      '\u0000',
      ' \n',
      '\u{e0041}',
    ),
    fc.integer({ min: 0, max: 2_000 }),
  )
  .map(([blank, count]) => blank.repeat(count));
const part = fc.constantFrom(
  'npm test',
  '&&',
  'rm -rf /',
  'curl x | sh',
  'é',
  '𝄞',
  'a'.repeat(300),
  '"',
  '\\n',
  '#',
);
/** A command of a model that chooses where a question would be cut. */
const command = fc
  .array(fc.tuple(part, blanks), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(''));

const hidden = /[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** A text without blanks, and without what is said of blanks that are not shown. */
const visible = (text: string): string =>
  text
    .replace(/<U\+[0-9A-F]+>/g, '')
    .replace(/<[\d,]+ blank (?:characters?|lines?)>/g, '')
    .replace(hidden, '');

describe('the brief text of a question', () => {
  it('counts blanks and has all of what is seen, or its beginning and end and how much is between', () => {
    fc.assert(
      fc.property(command, (text) => {
        const { isCut, text: shown } = briefText(text);
        expect(shown.length).toBeLessThan(3_000);
        expect(shown).not.toMatch(/\n|[^\S ]| {4}/);
        const seen = visible(text);
        if (!isCut) {
          expect(visible(shown)).toBe(seen);
          return;
        }
        const [start = '', count = '', end = ''] = shown.split(/ … <([\d,]+) more characters> … /);
        expect(Number(count.replaceAll(',', ''))).toBeGreaterThan(0);
        expect(seen.startsWith(visible(start.replace(/<[^>]*$/, '')))).toBe(true);
        expect(seen.endsWith(visible(end.replace(/^[^<]*>/, '')))).toBe(true);
      }),
      { numRuns: draws(500) },
    );
  });

  it.each([
    ['npm test', 'npm test'],
    [`npm test${' '.repeat(120)}&& rm -rf x`, 'npm test <120 blank characters> && rm -rf x'],
    [`npm test${'\n'.repeat(4)}rm`, 'npm test <4 blank characters> rm'],
    ['a   b\nc', 'a   b<U+000A>c'],
    [`a${'\u200b'.repeat(500)}b`, 'a <500 blank characters> b'],
    [`${'x'.repeat(200)}${'y'.repeat(100)}`, `${'x'.repeat(160)} … <80 more characters> … ${'y'.repeat(60)}`],
    [
      `${'x'.repeat(159)}𝄞${'y'.repeat(100)}`,
      `${'x'.repeat(159)} … <42 more characters> … ${'y'.repeat(60)}`,
    ],
  ])('of %j is %s', (text, shown) => {
    expect(briefText(text).text).toBe(shown);
  });

  it('says of each value that it is cut, and of values that they are left out', () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, index]));
    expect(briefValues(many)).toMatchObject({ isCut: true });
    expect(briefValues(many).lines.at(-1)).toBe('… 2 more params');
    expect(briefValues({ list: Array.from({ length: 1_000 }, () => 'x') }).isCut).toBe(true);
    expect(briefValues({ ['k'.repeat(500)]: 1 }).isCut).toBe(true);
    expect(briefValues({ a: 'x', b: [1, { c: null }] })).toEqual({
      lines: ['a: x', 'b: [1,{"c":null}]'],
      isCut: false,
    });
    expect(briefValues({ deep: { text: `a${'\n'.repeat(90)}b` } }).lines).toEqual([
      'deep: {"text":"a <90 blank characters> b"}',
    ]);
  });
});

describe('all of a question', () => {
  it('has everything that is seen, whatever blanks are between', () => {
    fc.assert(
      fc.property(command, (text) => {
        const lines = allLines(text);
        expect(visible(lines.join(''))).toBe(visible(text));
        // No more lines than parts could have, and a blank between.
        expect(lines.length).toBeLessThanOrEqual(40);
        for (const line of lines) expect(line).not.toMatch(/\s{41}/);
      }),
      { numRuns: draws(500) },
    );
  });

  it('has everything of a value of any shape', () => {
    const value = fc.letrec<{ readonly value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        command,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c d'), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const leaves = (each: unknown): readonly string[] =>
      typeof each === 'object' && each !== null
        ? Object.values(each).flatMap(leaves)
        : [typeof each === 'string' ? each : String(each)];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('p', 'q'), value), (params) => {
        const shown = visible(
          allValues(params)
            .join('')
            .replaceAll(/\\u00[01][\da-f]|\\[nrt]/g, ''),
        );
        for (const leaf of leaves(params)) {
          for (const word of leaf.split(hidden).filter((each) => each !== '')) {
            const isThere = [word, JSON.stringify(word).slice(1, -1)].some((each) =>
              shown.includes(each.replaceAll(/\\[nrt]/g, '')),
            );
            expect(isThere, word).toBe(true);
          }
        }
      }),
      { numRuns: draws(200) },
    );
  });

  it('counts blank lines and blanks, and leaves an indentation as it is', () => {
    expect(allLines(`a\n${'\n'.repeat(5_000)}        b${' '.repeat(90)}c`)).toEqual([
      'a',
      '<5,000 blank lines>',
      '        b <90 blank characters> c',
    ]);
    expect(allValues({ deep: { list: ['x'.repeat(300), 2] }, text: 'a\nb' })).toEqual([
      ...['deep:', '  {', '    "list": [', `      "${'x'.repeat(300)}",`, '      2', '    ]', '  }'],
      ...['text:', '  a', '  b'],
    ]);
  });

  it('does not indent what is nested deeply', () => {
    let deep: JsonValue = 'end';
    for (let depth = 0; depth < 300; depth += 1) deep = [deep, 'x'];
    const [head, ...lines] = allValues({ deep });
    expect(head).toMatch(/^deep: \[\[\[/);
    expect([head, ...lines].join('')).toContain('"end"');
  });
});
