import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  pad,
  printable,
  printableLines,
  readableDuration,
  wrap,
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

describe('wrap', () => {
  it('breaks at blanks, and words that are longer than a line', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('a 123456789 b', 4)).toEqual(['a', '1234', '5678', '9 b']);
    expect(wrap('', 4)).toEqual(['']);
  });

  it('loses nothing but blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        const lines = wrap(text, width);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
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
        expect([...pad(text, width)].length).toBe(Math.max(width, [...text].length));
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
  });
});
