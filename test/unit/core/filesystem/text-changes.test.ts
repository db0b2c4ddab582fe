import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeChanges, type TextRanges } from '../../../../src/core/filesystem/index.ts';
import { textChanges } from '../../../../src/core/filesystem/text/text-changes.ts';
import { joinRanges, missingFrom, rangesOf } from '../../../../src/core/filesystem/text/text-ranges.ts';

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

/** What was read: the parts of a text. */
function rangesIn(text: string, ...parts: readonly string[]): TextRanges {
  return rangesOf(parts.map((part) => [text.indexOf(part), text.indexOf(part) + part.length]));
}
function unread(before: string, after: string, read: TextRanges): readonly string[] {
  const { unread: ranges } = judgeChanges(before, after, read);
  return Array.from({ length: ranges.length / 2 }, (_, index) =>
    before.slice(ranges[2 * index], ranges[2 * index + 1]),
  );
}

describe('textChanges', () => {
  it('gives what makes one text of the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', 'a b c\n', 'x', '👋', ' '), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        let made = '';
        let at = 0;
        for (const { start, end, newStart, newEnd } of textChanges(before, after)) {
          expect(start).toBeGreaterThanOrEqual(at);
          made += before.slice(at, start);
          expect(made.length).toBe(newStart);
          made += after.slice(newStart, newEnd);
          at = end;
        }
        expect(made + before.slice(at)).toBe(after);
      }),
    );
  });

  it('finds several places in lines and in one long line', () => {
    const before = numbered(5000);
    const after = before
      .replace('line 3\n', 'line three\n')
      .replace('line 4900\n', '')
      .replace('line 12\n', 'line 12\nnew\n');
    expect(textChanges(before, after)).toHaveLength(3);
    const line = Array.from({ length: 3000 }, (_, index) => `f(${index});`).join('');
    const changes = textChanges(line, line.replace('f(7);', 'g(7);').replace('f(2900);', 'f(2900, 1);'));
    expect(changes.map(({ start, end }) => line.slice(start, end))).toEqual(['f', '']);
  });

  it('finds very many places where lines stay lines, and takes them for one where they do not', () => {
    const before = numbered(5000);
    const inPlace = before.replaceAll(/line (\d+)7\n/g, 'LINE $17\n');
    expect(textChanges(before, inPlace)).toHaveLength(499);
    expect(textChanges(before, before.replaceAll(/line (\d*)[57]\n/g, 'L $17\n'))).toHaveLength(1500);
    expect(textChanges(before, before.replaceAll('7\n', '7\n\n'))).toHaveLength(500);
    expect(textChanges(before, before.replaceAll(/[57]\n/g, '7\n\n'))).toHaveLength(1);
  });
});

describe('judgeChanges', () => {
  const text = numbered(10);
  const read = rangesIn(text, 'line 2\nline 3\n');

  it.each([
    ['replaces what was read', text.replace('line 2', 'LINE 2'), []],
    ['replaces what was not', text.replace('line 5', 'LINE 5'), ['line']],
    ['removes what was read', text.replace('line 3\n', ''), []],
    ['joins a line that was read to the next one', text.replace('line 3\n', 'line 3'), []],
    ['adds to a line that was read', text.replace('line 2', 'line 2 more'), []],
    ['adds to a line that was not', text.replace('line 5', 'line 5 more'), ['\n']],
    ['adds a line after one that was read', text.replace('line 3\n', 'line 3\nmore\n'), []],
    ['adds a line before one that was read', text.replace('line 2', 'more\nline 2'), []],
    ['adds to the start of a line after one that was read', text.replace('line 4', 'x line 4'), ['l']],
    ['adds to the end of a line before one that was read', text.replace('line 1', 'line 1 x'), ['\n']],
    ['adds at the end', `${text}more`, []],
    ['adds at the start', `more\n${text}`, ['l']],
    ['leaves all as it is', text, []],
    ['replaces all', 'short', [text.slice(0, 14), text.slice(28)]],
    ['empties it', '', [text.slice(0, 14), text.slice(28)]],
  ])('finds what was not read when a change %s', (_what, after, expected) => {
    expect(unread(text, after, read)).toEqual(expected);
  });

  it('takes what repeats for changed where it was read', () => {
    const same = 'x\n'.repeat(100);
    expect(judgeChanges(same, 'x\n'.repeat(99), [0, 4]).unread).toEqual([]);
    expect(judgeChanges(same, 'x\n'.repeat(101), [0, 4]).unread).toEqual([]);
    expect(judgeChanges(same, 'x\n'.repeat(99), [190, 194]).unread).toEqual([]);
    expect(judgeChanges(same, 'x\n'.repeat(97), [0, 4]).unread).not.toEqual([]);
    // What is left of what was read, and no more.
    expect(judgeChanges(same, 'x\n'.repeat(99), [0, 4]).known).toEqual([0, 2]);
  });

  it('knows what was put in, and what was read and stays', () => {
    const after = text.replace('line 2\n', 'a longer line\n').replace('line 0\n', '');
    const { known } = judgeChanges(text, after, rangesIn(text, 'line 0\n', 'line 2\nline 3\n'));
    expect(after.slice(known[0], known[1])).toBe('a longer line\nline 3\n');
    expect(known).toHaveLength(2);
  });
});

describe('ranges', () => {
  it('are joined and subtracted like sets of positions', () => {
    const parts = fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 8 });
    const positions = (ranges: TextRanges): Set<number> => {
      const found = new Set<number>();
      for (let index = 0; index < ranges.length; index += 2)
        for (let at = ranges[index] ?? 0; at < (ranges[index + 1] ?? 0); at += 1) found.add(at);
      return found;
    };
    fc.assert(
      fc.property(parts, parts, fc.nat(30), fc.nat(30), (left, right, start, end) => {
        const [one, two] = [rangesOf(left), rangesOf(right)];
        const both = new Set([...positions(one), ...positions(two)]);
        expect([...positions(joinRanges(one, two))]).toEqual([...both].sort((a, b) => a - b));
        const missing = [...Array(31).keys()].filter(
          (at) => at >= start && at < end && !positions(one).has(at),
        );
        expect([...positions(missingFrom(one, start, end))]).toEqual(missing);
      }),
    );
  });
});
