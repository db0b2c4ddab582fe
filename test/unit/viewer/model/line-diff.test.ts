import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileLines } from '../../../../src/core/internal/index.ts';
import { diffLines, shownDiff, textsOf } from '../../../../src/viewer/model/line-diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 12 })
  .map((lines) => lines.join('\n'));

describe('diffLines', () => {
  it('numbers lines before and after', () => {
    expect(diffLines('a\nb\nc\n', 'a\nx\nc\n')).toEqual([
      { op: 'same', text: 'a', before: 1, after: 1 },
      { op: 'removed', text: 'b', before: 2 },
      { op: 'added', text: 'x', after: 2 },
      { op: 'same', text: 'c', before: 3, after: 3 },
    ]);
  });

  it('holds all lines of both texts, in their order and with their numbers', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const old = lines.filter(({ op }) => op !== 'added');
        const fresh = lines.filter(({ op }) => op !== 'removed');
        expect(old.map((line) => line.text)).toEqual(fileLines(before));
        expect(fresh.map((line) => line.text)).toEqual(fileLines(after));
        expect(old.map((line) => line.before)).toEqual(old.map((_, index) => index + 1));
        expect(fresh.map((line) => line.after)).toEqual(fresh.map((_, index) => index + 1));
      }),
    );
  });

  it('compares up to three thousand edits', () => {
    const changed = Array.from({ length: 3000 }, (_, index) => (index % 2 === 0 ? 'same' : `old ${index}`));
    const { added, removed } = shownDiff(
      diffLines(changed.join('\n'), changed.map((line) => line.replace('old', 'new')).join('\n')),
    );
    expect([added, removed]).toEqual([1500, 1500]);
  });

  it('replaces everything when there are too many edits to compare', () => {
    const lines = (name: string): string =>
      Array.from({ length: 4000 }, (_, index) => `${name} ${index}`).join('\n');
    const { added, removed } = shownDiff(diffLines(lines('a'), lines('b')));
    expect([added, removed]).toEqual([4000, 4000]);
  });
});

describe('shownDiff', () => {
  it('keeps two lines around a change and counts the others', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
    const { parts, added, removed } = shownDiff(diffLines(before, before.replace('\n10\n', '\nten\n')));
    expect(parts.map((part) => (part.op === 'gap' ? part.lines : part.text))).toEqual([
      8,
      '8',
      '9',
      '10',
      'ten',
      '11',
      '12',
      7,
    ]);
    expect([added, removed]).toEqual([1, 1]);
  });

  it('hides no change and loses no line', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const { parts } = shownDiff(lines);
        const shown = parts.flatMap((part) => (part.op === 'gap' ? [] : [part]));
        const hidden = parts.reduce((sum, part) => sum + (part.op === 'gap' ? part.lines : 0), 0);
        expect(shown.length + hidden).toBe(lines.length);
        expect(shown.filter(({ op }) => op !== 'same')).toEqual(lines.filter(({ op }) => op !== 'same'));
      }),
    );
  });
});

describe('textsOf', () => {
  it('has no texts where a content is binary or was not kept', () => {
    const kept = { hash: 'h', bytes: 1, text: 'a' };
    const change = { path: 'a', kind: 'modified', entry: 'file' } as const;
    expect(textsOf({ ...change, before: kept })).toEqual({ before: 'a', after: '' });
    expect(
      textsOf({ ...change, before: kept, after: { hash: 'h', bytes: 2, base64: 'AA==' } }),
    ).toBeUndefined();
    expect(
      textsOf({ ...change, before: { hash: 'h', bytes: 2, isOmitted: true }, after: kept }),
    ).toBeUndefined();
  });
});
