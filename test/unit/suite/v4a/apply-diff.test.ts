import { describe, expect, it } from 'vitest';
import { applyDiff, createdText } from '../../../../src/suite/vfs/v4a/apply-diff.ts';

const text = (...lines: readonly string[]): string => lines.join('\n');
const apply = (content: string, ...diff: readonly string[]) => applyDiff(content, text(...diff), '"f"');
const code = text(
  'class A:',
  '    def run(self):',
  '        return 1',
  'class B:',
  '    def run(self):',
  '        return 1',
  '',
);
const withB = code.replace(/return 1\n$/, 'return 2\n');

describe('a V4A diff is applied', () => {
  it.each<readonly [string, string, readonly string[], string]>([
    ['without "@@" before the first hunk', 'a\nb\nc\n', [' a', '-b', '+x'], 'a\nx\nc\n'],
    ['with a bare "@@"', 'a\nb\nc\n', ['@@', '-b'], 'a\nc\n'],
    ['at the first of several places', 'a\na\na\n', ['-a', '+x'], 'x\na\na\n'],
    ['at the first place after the hunk before', 'a\na\na\n', ['-a', '+x', '@@', '-a', '+y'], 'x\ny\na\n'],
    [
      'after an anchor',
      code,
      ['@@ class B:', '     def run(self):', '-        return 1', '+        return 2'],
      withB,
    ],
    [
      'after two anchors',
      code,
      ['@@ class B:', '@@     def run(self):', '-        return 1', '+        return 2'],
      withB,
    ],
    [
      'after an anchor without its indentation',
      code,
      ['@@ class B:', '@@ def run(self):', '-        return 1', '+        return 2'],
      withB,
    ],
    [
      'under an anchor that is said again',
      'f\na\nb\nc\n',
      ['@@ f', '-a', '+x', '@@ f', '-c', '+z'],
      'f\nx\nb\nz\n',
    ],
    [
      'under an anchor that is said again and is there again, where it fits only before',
      'f\na\nb\nf\nc\n',
      ['@@ f', '-a', '+x', '@@ f', '-b', '+y'],
      'f\nx\ny\nf\nc\n',
    ],
    ['with an empty line that stays', 'a\n\nb\n', [' a', '', '-b', '+x'], 'a\n\nx\n'],
    ['with a newline at its end', 'a\nb\n', ['-a', '+x', ''], 'x\nb\n'],
    ['with CRLF', 'a\nb\n', ['-a\r', '+x\r'], 'x\nb\n'],
    ['at the end', 'a\nb\na\n', ['-a', '+x', '*** End of File'], 'a\nb\nx\n'],
    ['at the end without newline', 'a\nb\na', ['-a', '+x', '*** End of File'], 'a\nb\nx'],
    [
      'at the end with the empty line that a final newline leaves',
      'a\nb\na\n',
      [' b', '-a', ' ', '*** End of File'],
      'a\nb\n',
    ],
    ['that appends', 'a\n', ['+x', '*** End of File'], 'a\nx\n'],
    ['that appends where there is no newline', 'a', ['+x', '+y', '*** End of File'], 'a\nx\ny'],
    ['that appends CRLF where there is no newline', 'a\r\nb', ['+x', '*** End of File'], 'a\r\nb\r\nx'],
    ['that adds after an anchor', 'a\nb\n', ['@@ a', '+x'], 'a\nx\nb\n'],
    ['that fills an empty file', '', ['+x', '+y'], 'x\ny\n'],
    ['that fills a file with a mark only', '\uFEFF', ['@@', '+x'], '\uFEFFx\n'],
    ['that removes all', 'a\nb\n', ['-a', '-b'], ''],
    ['that removes all, without newline', 'a\nb', ['-a', '-b'], ''],
    ['that removes the last line, without newline', 'a\nb', [' a', '-b'], 'a'],
    ['that replaces the last line, without newline', 'a\nb', ['-b', '+x', '+y'], 'a\nx\ny'],
    ['that replaces the only line', 'a', ['-a', '+x', '+y'], 'x\ny'],
    ['with blanks at line ends that differ', 'a  \nb\t\nc\n', [' a', '-b', '+x'], 'a  \nx\nc\n'],
    [
      'exactly further on, before one with other blanks',
      'a \nb\na\nb\n',
      [' a', '-b', '+x'],
      'a \nb\na\nx\n',
    ],
    ['to CRLF', 'a\r\nb\r\nc\r\n', [' a', '-b', '+x', '+y'], 'a\r\nx\r\ny\r\nc\r\n'],
    [
      'to mixed ends: those of the line that goes',
      'a\nb\r\nc\n',
      [' a', '-b', '+x', '+y'],
      'a\nx\r\ny\r\nc\n',
    ],
    ['to mixed ends: those of the line before', 'a\r\nb\nc\n', [' a', '+x', ' b'], 'a\r\nx\r\nb\nc\n'],
    ['to mixed ends: those of the line after, at the start', 'a\r\nb\nc\n', ['+x', ' a'], 'x\r\na\r\nb\nc\n'],
    ['to mixed ends, at a last line that goes', 'a\r\nb\nc', [' b', '-c', '+x', '+y'], 'a\r\nb\nx\ny'],
    ['after a byte order mark', '\uFEFFa\nb\n', ['-a', '+x'], '\uFEFFx\nb\n'],
    ['before the first line after a byte order mark', '\uFEFFa\nb\n', ['+x', ' a'], '\uFEFFx\na\nb\n'],
    ['with added lines among removed ones', 'a\nb\nc\n', ['+x', '-a', '+y', '-b', ' c'], 'x\ny\nc\n'],
    [
      'to lines that look like marks of a diff',
      '@@ a\n*** b\n+c\n',
      [' @@ a', '-*** b', '++x', ' +c'],
      '@@ a\n+x\n+c\n',
    ],
  ])('%s', (_what, content, diff, expected) => {
    expect(apply(content, ...diff)).toMatchObject({ kind: 'applied', text: expected });
  });

  it('and counts', () => {
    expect(apply('a \nb\nc\n', ' a', '-b', '+x', '+y', '@@', '-c', '+z')).toEqual({
      kind: 'applied',
      text: 'a \nx\ny\nz\n',
      hunks: 2,
      added: 3,
      removed: 2,
      loose: [1],
    });
  });
});

describe('a V4A diff is refused', () => {
  it.each<readonly [string, string, readonly string[], string]>([
    ['when it is empty', 'a\n', [], 'The diff is empty.'],
    ['when it is one newline', 'a\n', [''], 'The diff is empty.'],
    ['with a hunk that changes nothing', 'a\n', [' a'], 'Hunk 1 (line 1 of the diff) changes nothing'],
    ['with "@@" and nothing after it', 'a\n', ['-a', '@@'], 'Hunk 2 (line 2 of the diff) changes nothing'],
    [
      'when what it adds is there',
      'a\n',
      ['-a', '+a'],
      'The diff changes nothing: what it adds is in "f" already.',
    ],
    [
      'with a header',
      'a\n',
      ['*** Begin Patch', '*** Update File: f', '-a'],
      'Line 1 of the diff is "*** Begin Patch". Give the hunks of one file alone',
    ],
    ['with a foot', 'a\n', ['-a', '*** End Patch'], 'Line 2 of the diff is "*** End Patch"'],
    [
      'with a line without a mark',
      'a\nb\n',
      [' a', 'b'],
      'Line 2 of the diff is "b". Every line of a hunk begins with a blank, "-" or "+"',
    ],
    ['with line numbers', 'a\n', ['@@ -1,2 +1,2 @@', '-a'], 'Line 1 of the diff has line numbers.'],
    ['with an anchor without a blank', 'a\n', ['@@a', '+b'], 'Line 1 of the diff is "@@a".'],
    [
      'with a line after the end',
      'a\nb\n',
      ['-b', '*** End of File', '-a'],
      'Line 3 of the diff comes after "*** End of File"',
    ],
    [
      'with a hunk after the end',
      'a\nb\n',
      ['-b', '*** End of File', '@@', '-a'],
      'Line 3 of the diff comes after',
    ],
    [
      'without its anchor',
      'a\nb\n',
      ['@@ class X', '-b'],
      'The anchor "class X" (line 1 of the diff) is not a line of "f".',
    ],
    [
      'without the second of its anchors',
      'a\nb\n',
      ['@@ a', '@@ x', '-b'],
      'The anchor "x" (line 2 of the diff) is not a line',
    ],
    [
      'with part of a line as its anchor',
      'def run(self):\nb\n',
      ['@@ def run', '-b'],
      'Give the whole line; line 1 has it in it:\n1 | def run(self):',
    ],
    [
      'with an anchor from before',
      'a\nb\nc\n',
      ['-b', '+x', '@@ a', '-c'],
      'The anchor "a" (line 3 of the diff) is line 1 of "f", before line 3',
    ],
    [
      'with an anchor that the hunk before has jumped over',
      'f\ng\na\nb\n',
      ['@@ g', '-a', '+x', '@@ f', '-b'],
      'The anchor "f" (line 4 of the diff) is line 1 of "f", before line 4',
    ],
    [
      'that could be in two places under an anchor that is said again',
      'f\na\nb\nf\nb\n',
      ['@@ f', '-a', '+x', '@@ f', '-b', '+y'],
      'Hunk 2 (line 4 of the diff) could begin at line 3 or at line 5 of "f"',
    ],
    [
      'out of order',
      'a\nb\nc\n',
      ['-c', '+x', '@@', '-a', '+y'],
      'Hunk 2 (line 3 of the diff) is at line 1 of "f", before line 4, where the hunk before ends.',
    ],
    [
      'when hunks overlap',
      'a\nb\nc\n',
      ['-a', '+x', ' b', '@@', ' b', '-c'],
      'Hunk 2 (line 4 of the diff) is at line 2 of "f", before line 3, where the hunk before ends. Give hunks in the order of the file; join those that overlap.',
    ],
    [
      'before its anchor',
      'a\nb\nc\n',
      ['@@ b', '-a'],
      'Hunk 1 (line 1 of the diff) is at line 1 of "f", before line 3, where its anchors lead.',
    ],
    [
      'with another indentation',
      'x\n    a\n    b\n',
      [' a', '-b'],
      'is at line 2 of "f" only when indentation is left out of account. Copy the lines with their indentation:\n2 |     a\n3 |     b',
    ],
    [
      'at an end that is none',
      'a\nb\nc\n',
      ['-a', '*** End of File'],
      'is at line 1 of "f", and "*** End of File" says that it is at the end.',
    ],
    [
      'when it only adds',
      'a\n',
      ['+x'],
      'Hunk 1 (line 1 of the diff) only adds lines, and nothing says where.',
    ],
    ['when it only adds after "@@"', 'a\n', ['@@', '+x'], 'only adds lines, and nothing says where'],
    [
      'when it only adds after a hunk',
      'a\nb\n',
      ['-a', '@@', '+x'],
      'Hunk 2 (line 2 of the diff) only adds lines',
    ],
    [
      'when it only adds under an anchor that is said again',
      'f\na\nb\n',
      ['@@ f', '-a', '@@ f', '+x'],
      'Hunk 2 (line 3 of the diff) only adds lines',
    ],
    [
      'with a line that differs',
      'a\nb\nc\n',
      [' a', ' b', '-x'],
      'is not in "f". Its first 2 lines are at line 1, then the file has "c" in the place of "x" of the diff. The file there:\n1 | a\n2 | b\n3 | c',
    ],
    [
      'with lines after the end of the file',
      'a\nb',
      [' a', ' b', '-x'],
      'Its first 2 lines are at line 1, then the file ends, before "x" of the diff.',
    ],
    [
      'with a first line that is not there',
      'a\nb\nc\n',
      [' x', '-b'],
      '"x" is not a line of it. Line 2 is "b". The file there:\n1 | a\n2 | b',
    ],
    ['with nothing that is there', 'a\n', ['-x', '+y'], '"x" is not a line of it. Read the file again'],
  ])('%s', (_what, content, diff, message) => {
    const applied = apply(content, ...diff);
    expect(applied).toMatchObject({ kind: 'refused', message: expect.stringContaining(message) });
  });

  it('with few and short lines of the file in the message', () => {
    const content = text(...Array.from({ length: 100 }, (_, index) => ` ${'x'.repeat(1000)}${index}`));
    const applied = apply(content, ...content.split('\n').map((line) => `-${line.trim()}`));
    if (applied.kind !== 'refused') throw new Error('applied');
    expect(applied.message).toContain('only when indentation is left out of account');
    expect(applied.message.length).toBeLessThan(2000);
  });
});

describe('lines that are only added', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['to an empty file, after a hunk', '', ['+z', ' ', '@@', '+a']],
    ['under an anchor that is said again, and is there again', 'f\na\nf\nb\n', ['@@ f', '+x', '@@ f', '+y']],
  ])('have no place %s', (_what, content, diff) => {
    expect(apply(content, ...diff)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('only adds lines, and nothing says where'),
    });
  });
});

describe('the text of a new file', () => {
  it.each([
    ['+a\n+b', 'a\nb'],
    ['+a\n+b\n', 'a\nb'],
    ['+a\n+', 'a\n'],
    ['+', ''],
    ['', ''],
    ['+a\r\n++b', 'a\n+b'],
  ])('is made of %j', (diff, expected) => {
    expect(createdText(diff)).toEqual({ kind: 'created', text: expected });
  });

  it.each(['a', ' a', '+a\n\n+b', '@@\n+a', '*** Begin Patch\n+a'])('is not made of %j', (diff) => {
    expect(createdText(diff)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Every line of a new file begins with "+"'),
    });
  });
});

describe('the effort', () => {
  const spent = (content: string, diff: string): number => {
    const effort = { left: 50_000_000 };
    applyDiff(content, diff, '"f"', effort);
    return 50_000_000 - effort.left;
  };

  it.each<readonly [string, string, string]>([
    ['equal lines and one that differs at the end', 'a\n', `${'-a\n'.repeat(30_000)}-b\n`],
    ['equal lines, then one that is elsewhere', 'a\n', `${'-a\n'.repeat(30_000)}-z\n`],
    ['pairs in another order', 'a\nb\n', `${' a\n b\n'.repeat(15_000)}-b\n`],
  ])('is linear for %s', (_what, piece, diff) => {
    const content = `${piece.repeat(500_000 / piece.length)}z\n`;
    const lines = content.split('\n').length + diff.split('\n').length;
    const effort = spent(content, diff);
    expect(effort).toBeGreaterThan(lines / 2);
    expect(effort).toBeLessThan(12 * lines);
  });

  it('is linear for many hunks that are there', () => {
    const content = 'a\nb\n'.repeat(50_000);
    const diff = '@@\n a\n-b\n+x\n'.repeat(10_000);
    expect(spent(content, diff)).toBeLessThan(12 * 130_000);
  });

  it('is bounded for many hunks that are there but for blanks, and elsewhere line by line', () => {
    const content = `${'a\nb\n'.repeat(10_000)}${'b \n'.repeat(200_000)}${'a \n'.repeat(200_000)}`;
    const diff = '@@\n a \n-b \n'.repeat(10_000);
    const effort = { left: 50_000_000 };
    const applied = applyDiff(content, diff, '"f"', effort);
    expect(effort.left).toBe(-1);
    expect(applied).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Finding the hunks takes too long'),
    });
  });
});
