import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDiff } from '../../src/suite/vfs/v4a/apply-diff.ts';
import { draws } from '../support/draws.ts';

const ending = fc.constantFrom('\n', '\r\n');

/** A file of few different lines, so that most of them are in several places. */
const file = fc.record({
  mark: fc.constantFrom('', '\uFEFF'),
  lines: fc.array(fc.record({ text: fc.constantFrom('a', 'b', ' b', 'c', '', '{', '}'), ending }), {
    maxLength: 14,
  }),
  last: fc.constantFrom('', 'a', 'z'),
});

type Line = { readonly text: string; readonly ending: string };

/** What becomes of a line: it stays, goes, or has others put before it. */
const edit = fc.record({
  isRemoved: fc.boolean(),
  added: fc.array(fc.constantFrom('a', 'new', '', ' b'), { maxLength: 2 }),
  isTouched: fc.integer({ min: 0, max: 3 }).map((value) => value === 0),
});

/** One hunk with all lines of a file, with the edits. */
function diffOf(
  texts: readonly string[],
  edits: readonly (typeof edit extends fc.Arbitrary<infer E> ? E : never)[],
) {
  const diff: string[] = [];
  const result: string[] = [];
  for (const [index, line] of texts.entries()) {
    const { added = [], isRemoved = false, isTouched = false } = edits[index] ?? {};
    if (isTouched) {
      for (const each of added) diff.push(`+${each}`);
      result.push(...added);
    }
    const goes = isTouched && isRemoved;
    diff.push(`${goes ? '-' : ' '}${line}`);
    if (!goes) result.push(line);
  }
  return { diff, result };
}

const linesOf = (text: string): readonly string[] =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');

const contentOf = ({ last, lines, mark }: { mark: string; lines: readonly Line[]; last: string }): string =>
  `${mark}${lines.map(({ ending: end, text }) => text + end).join('')}${last}`;

describe('a V4A diff', () => {
  it('made of an edit does just that edit, and keeps mark and line endings of what stays', () => {
    fc.assert(
      fc.property(file, fc.array(edit, { maxLength: 15 }), (given, edits) => {
        const content = contentOf(given);
        const { diff, result } = diffOf(linesOf(content), edits);
        const applied = applyDiff(content, diff.join('\n') + '\n', '"f"');
        if (result.join('\n') === linesOf(content).join('\n')) {
          // Also lines that are replaced by equal ones may change an ending, and nothing else.
          if (applied.kind === 'applied') expect(linesOf(applied.text)).toEqual(linesOf(content));
          return;
        }
        if (applied.kind === 'refused') throw new Error(applied.message);
        expect(linesOf(applied.text)).toEqual(result.length === 0 ? [''] : result);
        expect(applied.text.startsWith('\uFEFF')).toBe(given.mark !== '');
        const endings = new Set(given.lines.map((line) => line.ending));
        if (endings.size === 1) {
          const returns = applied.text.split('\r\n').length - 1;
          const lineFeeds = applied.text.split('\n').length - 1;
          expect(returns).toBe(endings.has('\r\n') ? lineFeeds : 0);
        }
      }),
      { numRuns: draws(2000) },
    );
  });

  it('of several hunks does each edit, where each is looked for after the one before', () => {
    const body = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,5}$/), { minLength: 6, maxLength: 20 });
    fc.assert(
      fc.property(
        body,
        fc.array(
          fc.record({
            at: fc.nat(),
            put: fc.array(fc.constantFrom('X', '', 'Y'), { maxLength: 2 }),
            before: fc.nat(2),
            after: fc.nat(2),
            isAnchored: fc.boolean(),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        fc.boolean(),
        (lines, changes, hasNewline) => {
          const result: string[] = [];
          const diff: string[] = [];
          let from = 0;
          for (const { after, at, before, isAnchored, put } of changes) {
            const line = from + (at % 4) + before + 1;
            if (line + after >= lines.length) break;
            const first = line - before;
            diff.push(isAnchored ? `@@ ${lines[first - 1]}` : '@@');
            diff.push(
              ...lines.slice(first, line).map((each) => ` ${each}`),
              `-${lines[line]}`,
              ...put.map((each) => `+${each}`),
            );
            diff.push(...lines.slice(line + 1, line + 1 + after).map((each) => ` ${each}`));
            result.push(...lines.slice(from, line), ...put, ...lines.slice(line + 1, line + 1 + after));
            from = line + 1 + after;
          }
          fc.pre(diff.length > 0);
          result.push(...lines.slice(from));
          const end = hasNewline ? '\n' : '';
          // An anchor that the hunk before has as context is before the place from where on it is looked for.
          const applied = applyDiff(lines.join('\n') + end, diff.join('\n'), '"f"');
          if (applied.kind === 'refused') expect(applied.message).toContain('from where on it is looked for');
          else expect(applied.text).toBe(result.join('\n') + end);
        },
      ),
      { numRuns: draws(1000) },
    );
  });

  it('that is changed at random is refused, or keeps every line that it does not name', () => {
    fc.assert(
      fc.property(
        file,
        fc.array(
          fc.constantFrom(
            '@@',
            '@@ a',
            '@@ {',
            ' a',
            '-a',
            '+a',
            '-b',
            ' ',
            '',
            '+z',
            '-}',
            '*** End of File',
            '***',
            'a',
          ),
          { maxLength: 8 },
        ),
        (given, diff) => {
          const content = contentOf(given);
          const applied = applyDiff(content, diff.join('\n'), '"f"');
          if (applied.kind === 'refused') {
            expect(applied.message).not.toBe('');
            return;
          }
          const minus = diff.filter((line) => line.startsWith('-'));
          const plus = diff.filter((line) => line.startsWith('+'));
          expect(applied).toMatchObject({ added: plus.length, removed: minus.length });
          const before = linesOf(content);
          const after = linesOf(applied.text);
          // The lines that were there, without those removed, with those added: as a multiset.
          const expected = [...before];
          for (const line of minus) {
            const index = expected.findIndex((each) => each.trimEnd() === line.slice(1).trimEnd());
            expect(index).not.toBe(-1);
            expected.splice(index, 1);
          }
          expected.push(...plus.map((line) => line.slice(1)));
          expect([...after].sort()).toEqual((expected.length === 0 ? [''] : expected).sort());
        },
      ),
      { numRuns: draws(4000) },
    );
  });
});
