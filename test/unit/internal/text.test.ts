import { describe, expect, it } from 'vitest';
import {
  countCharacters,
  counted,
  cutAfter,
  lineNumberAt,
  quotedList,
  shorten,
} from '../../../src/internal/index.ts';

describe('text helpers', () => {
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
