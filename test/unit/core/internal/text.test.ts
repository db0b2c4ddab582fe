import { describe, expect, it } from 'vitest';
import {
  countCharacters,
  counted,
  cutAfter,
  cutLine,
  endOf,
  fileLines,
  lineNumberAt,
  oneLine,
  quotedList,
  readableBytes,
  shorten,
} from '../../../../src/core/internal/index.ts';

describe('text helpers', () => {
  it('writes sizes as a person does', () => {
    const sizes = [1, 1023, 1024, 1536, 3_145_728];
    expect(sizes.map(readableBytes)).toEqual(['1 byte', '1,023 bytes', '1.0 KB', '1.5 KB', '3.0 MB']);
  });

  it('counts no line after the last line feed of a file', () => {
    expect(['', '\n', 'a', 'a\n', 'a\n\nb\r\n'].map(fileLines)).toEqual([
      [],
      [''],
      ['a'],
      ['a'],
      ['a', '', 'b\r'],
    ]);
  });

  it.each([
    ['', 5, ''],
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcde…'],
    ['abcd😀', 5, 'abcd…'],
    ['abc😀f', 5, 'abc😀…'],
  ])('cuts %j after %d units', (text, length, cut) => {
    expect(cutAfter(text, length)).toBe(cut);
  });

  it('counts the ellipsis of a shortened string', () => {
    expect([shorten('abcde', 5), shorten('abcdef', 5), shorten('abc😀ef', 5)]).toEqual([
      'abcde',
      'abcd…',
      'abc…',
    ]);
  });

  it.each([
    ['abc', 5, 'abc'],
    ['abcdef', 5, 'bcdef'],
    ['a😀bcde', 5, 'bcde'],
    ['a😀bcd', 5, '😀bcd'],
  ])('keeps of %j the last %d units', (text, length, end) => {
    expect(endOf(text, length)).toBe(end);
  });

  it.each([
    [' a\n b ', 9, 'a b'],
    ['a\n\tbc😀d', 5, 'a bc…'],
    ['a'.repeat(20_000_000), 10, `${'a'.repeat(10)}…`],
  ])('cuts a text on one line', (text, length, line) => {
    expect(cutLine(text, length)).toBe(line);
  });

  it('joins the lines of a text, by everything that ends one', () => {
    expect(oneLine(' a\r\n\n b\u2028c\vd ')).toBe('a b c d');
  });

  it('counts a surrogate pair as one character', () => {
    expect([countCharacters(''), countCharacters('a😀b')]).toEqual([0, 3]);
  });

  it('numbers lines from 1; a line feed belongs to the line that it ends', () => {
    expect([0, 1, 2, 3, 4].map((index) => lineNumberAt('a\n\nb', index))).toEqual([1, 1, 2, 3, 3]);
  });

  it('adds the singular or plural noun to a count', () => {
    expect([counted(0, 'file'), counted(1, 'file'), counted(1234567, 'entry', 'entries')]).toEqual([
      '0 files',
      '1 file',
      '1,234,567 entries',
    ]);
  });

  it('quotes each name of a list', () => {
    expect([quotedList([]), quotedList(new Set(['a', 'b']))]).toEqual(['', '"a", "b"']);
  });
});
