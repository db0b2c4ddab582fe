import { describe, expect, it } from 'vitest';
import { createConflictMarkerScanner } from '../../../../../examples/review/model/rules/conflict-markers.ts';

function conflicts(lines: readonly string[]): readonly number[] {
  const scanner = createConflictMarkerScanner();
  return lines.flatMap((line, index) => scanner.scan(index + 1, line) ?? []);
}

describe('createConflictMarkerScanner', () => {
  it('finds where each complete conflict begins', () => {
    const conflict = ['<<<<<<< HEAD', 'a', '=======', 'b', '>>>>>>> other'];
    expect(conflicts(['x', ...conflict, 'y', ...conflict])).toEqual([2, 8]);
  });

  it.each([
    [['Title', '=======']],
    [['<<<<<<< HEAD', 'a', '>>>>>>> other']],
    [['=======', '>>>>>>> other']],
    [["'<<<<<<< HEAD'", '=======', '>>>>>>> other']],
  ])('finds none in %j', (lines) => {
    expect(conflicts(lines)).toEqual([]);
  });
});
