import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import { normalizePath } from '../../../../src/core/filesystem/index.ts';

describe('normalizePath', () => {
  it.each([
    ['.', '.'],
    ['/', '.'],
    ['a/..', '.'],
    ['a', 'a'],
    ['/a//b/./c/', 'a/b/c'],
    ['a/b/../c', 'a/c'],
    ['a/../../a/..'.replace('/../..', '/..'), '.'],
    [' a ', ' a '],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
  ])('%j is %j', (path, expected) => {
    expect(normalizePath(path)).toBe(expected);
  });

  it('says which path is wrong, in a short message', () => {
    expect(() => normalizePath('../secret')).toThrow(/"\.\.\/secret" leaves the root/);
    expect(() => normalizePath('x'.repeat(100_000))).toThrow(/^.{1,300}$/);
  });

  it('is idempotent, and what it returns has no dots, no empty segments and no way out', () => {
    const segment = fc.oneof(
      fc.constantFrom('.', '..', '', 'a', 'b', '..a'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), (segments) => {
        let normalized: string;
        try {
          normalized = normalizePath(segments.join('/'));
        } catch (error) {
          expect(FilesystemError.isInstance(error)).toBe(true);
          return;
        }
        expect(normalizePath(normalized)).toBe(normalized);
        expect(normalizePath(`/${normalized}/`)).toBe(normalized);
        if (normalized === '.') return;
        for (const part of normalized.split('/')) expect(['', '.', '..']).not.toContain(part);
      }),
    );
  });
});
