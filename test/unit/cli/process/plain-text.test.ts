import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clipColumns,
  clipMiddleColumns,
  columnsOf,
  cutColumns,
  pad,
  printable,
  printableLines,
  readableDuration,
  roughDuration,
  wrapColumns,
} from '../../../../src/cli/process/plain-text.ts';
import { clip, clipMiddle } from '../../../../src/core/internal/index.ts';

describe('printable', () => {
  it('spells out what could move a cursor or turn text around', () => {
    expect(printable('a\u001b[31mb\r\n\u202ec\u0085')).toBe(
      'a<U+001B>[31mb<U+000D><U+000A><U+202E>c<U+0085>',
    );
  });

  it('leaves line feeds and tabs of several lines alone', () => {
    expect(printableLines('a\tb\nc\u0007\r\n')).toBe('a\tb\nc<U+0007><U+000D>\n');
  });

  it('leaves no control character in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      }),
    );
  });
});

describe('wrapColumns', () => {
  it('breaks at blanks, and words that are longer than a line', () => {
    expect(wrapColumns('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapColumns('a 123456789 b', 4)).toEqual(['a', '1234', '5678', '9 b']);
    expect(wrapColumns('', 4)).toEqual(['']);
  });

  it('loses nothing but blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, width) => {
        const lines = wrapColumns(text, width);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

describe('widths', () => {
  it('never make a text longer than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect([...clip(text, width)].length).toBeLessThanOrEqual(width);
        expect([...clipMiddle(text, width)].length).toBeLessThanOrEqual(width);
        expect(columnsOf(pad(text, width))).toBe(Math.max(width, columnsOf(text)));
        for (const cut of [clipColumns, cutColumns, clipMiddleColumns])
          expect(columnsOf(cut(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keep both ends of a path', () => {
    expect(clipMiddle('src/some/long/path/file.ts', 15)).toBe('src/som…file.ts');
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('abcd', 4)).toBe('abcd');
  });
});

describe('amounts', () => {
  it('read as a person writes them', () => {
    expect([readableDuration(12.4), readableDuration(1449)]).toEqual(['12 ms', '1.4 s']);
    const second = 1000;
    const hour = 3600 * second;
    expect(
      [-5, 12.9, 49.9 * second, 754 * second, 5 * hour, 47 * hour, 48 * hour].map(roughDuration),
    ).toEqual(['0 ms', '12 ms', '49 s', '12 min', '5 h', '47 h', '2 days']);
  });
});
