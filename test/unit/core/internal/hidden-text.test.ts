import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHidden, replaceHidden, withoutHidden } from '../../../../src/core/internal/index.ts';
import { draws } from '../../../support/draws.ts';

const hidden: readonly (readonly [what: string, character: string])[] = [
  ['a control character', '\u0007'],
  ['a control character of C1', '\u009b'],
  ['a zero-width space', '\u200b'],
  ['a joiner between letters', '\u200d'],
  ['a mark of direction', '\u202e'],
  ['an isolate', '\u2066'],
  ['a tag', '\u{e0041}'],
  ['a variation selector after a letter', '\ufe0f'],
  ['a variation selector of the supplement', '\u{e0101}'],
  ['a word joiner', '\u2060'],
  ['an invisible operator', '\u2062'],
  ['a soft hyphen', '\u00ad'],
  ['a byte order mark', '\ufeff'],
  ['a Hangul filler', '\u3164'],
  ['a blank of Braille', '\u2800'],
  ['a musical note without a head', '\u{1d159}'],
  ['a line separator', '\u2028'],
  ['half of a surrogate pair', '\ud800'],
];

describe('hidden text', () => {
  it.each(hidden)('is %s', (_what, character) => {
    expect(hasHidden(`a${character}b`)).toBe(true);
    expect(withoutHidden(`a${character}b`)).toBe('ab');
    expect(replaceHidden(`a${character}b`, () => '?')).toBe('a?b');
  });

  it('is not what keeps an emoji together', () => {
    for (const emoji of ['❤️', '👍🏽', '👩‍👧', '🏳️‍🌈']) expect(hasHidden(`a ${emoji} b`)).toBe(false);
    expect(hasHidden('👩\u200d')).toBe(true);
    expect(hasHidden('👩\ufe0f\ufe0f')).toBe(true);
  });

  it('keeps the characters that it is asked to keep', () => {
    expect(withoutHidden('a\tb\nc\u0000', '\n\t')).toBe('a\tb\nc');
  });

  it('leaves nothing hidden in any text', () => {
    const any = fc.string({
      unit: fc.oneof(fc.constantFrom(...hidden.map(([, each]) => each)), fc.string()),
    });
    fc.assert(
      fc.property(any, (text) => {
        expect(hasHidden(withoutHidden(text))).toBe(false);
      }),
      { numRuns: draws(500) },
    );
  });
});
