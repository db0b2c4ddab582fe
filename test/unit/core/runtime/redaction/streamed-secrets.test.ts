import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Redaction, redactSecrets } from 'weakincentives';
import { Redactor } from '../../../../../src/core/runtime/index.ts';
import { draws } from '../../../../support/draws.ts';

/** What is told of an answer that comes in pieces: what can be told after each of them, and the rest at the end. */
function told(redact: Redaction, pieces: readonly string[]): readonly string[] {
  const redactor = new Redactor(redact, () => undefined);
  let held = '';
  const parts = pieces.map((piece) => {
    held += piece;
    const length = redactor.settled(held);
    const part = held.slice(0, length);
    held = held.slice(length);
    return redactor.text(part);
  });
  return [...parts, redactor.text(held)];
}

describe('an answer in pieces', () => {
  test.each<[readonly string[], readonly string[]]>([
    [
      ['one ', 'two'],
      ['one ', 'two', ''],
    ],
    [
      ['a ke', 'y-1', '23456 b'],
      ['a ', '', '<KEY> b', ''],
    ],
    [
      ['a ke', 'ttle'],
      ['a ', 'kettle', ''],
    ],
    // Shown in a text that was cut off.
    [
      ['key-12345', '.', '.', '. b'],
      ['', '', '', '<KEY>... b', ''],
    ],
    [
      ['key-12345', '.', 'b'],
      ['', '', 'key-12345.b', ''],
    ],
    [
      ['"say \\', '"hi\\" ', 'now'],
      ['"', '<SAID> ', 'now', ''],
    ],
  ])('%j is told as %j', (pieces, parts) => {
    expect(told(redactSecrets({ KEY: 'key-123456', SAID: 'say "hi"' }), pieces)).toEqual(parts);
  });

  test('comes to what the whole answer comes to', () => {
    const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom('x', 'y', '"', '.', '…'), minLength, maxLength });
    fc.assert(
      fc.property(
        fc.array(text(4, 14), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(text(0, 6), fc.nat(2)), { maxLength: 12 }),
        fc.array(fc.nat(20), { maxLength: 12 }),
        (secrets, parts, cuts) => {
          const redact = redactSecrets(secrets);
          const whole = parts
            .map((part) => (typeof part === 'number' ? (secrets[part] ?? '') : part))
            .join('');
          const pieces: string[] = [];
          let rest = whole;
          for (const cut of cuts) {
            pieces.push(rest.slice(0, cut));
            rest = rest.slice(cut);
          }
          const shown = told(redact, [...pieces, rest]).join('');
          expect(shown).toBe(redact(whole));
        },
      ),
      { numRuns: draws(2_000) },
    );
  });

  test('without a word on what is pending is told as a whole', () => {
    expect(told((text) => text, ['a', 'b'])).toEqual(['', '', 'ab']);
  });
});
