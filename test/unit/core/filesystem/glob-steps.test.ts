import { describe, expect, it } from 'vitest';
import { compileCountedGlob } from '../../../../src/core/filesystem/glob/glob.ts';

/** How many instructions a pattern looks at for a path. */
function stepsFor(pattern: string, path: string): number {
  const count = { steps: 0 };
  compileCountedGlob(pattern, count).test(path);
  return count.steps;
}

/** The same amount more costs the same number of steps more. */
function expectLinear(steps: (size: number) => number, size: number): void {
  const [once, twice, thrice] = [steps(size), steps(2 * size), steps(3 * size)];
  expect(twice - once).toBeGreaterThan(0);
  expect(thrice - twice).toBeLessThanOrEqual(twice - once);
}

describe('the steps of a glob', () => {
  it.each([
    ['*a*a*a*a*a*a*a*ab', 'a'],
    ['+(+(+(a)))b', 'a'],
    ['*(*(a|aa)|*(aaa))b', 'a'],
    ['*(a|?a|a?|??)b', 'a'],
    ['@(*a*|*b*|*c*)@(*a*|*b*|*c*)d', 'abc'],
    ['*([[:alpha:]]|[a-z]|*)_', 'ab'],
  ])('of %s grow with the length of the name, and no faster', (pattern, piece) => {
    expectLinear((size) => stepsFor(pattern, piece.repeat(size)), 40);
  });

  it.each([
    ['**/+(a|aa)x/**/+(a|aa)y/**/z', 'aaaa/'],
    ['**/*a*/**/*b*/**/*c*d', 'abc/'],
  ])('of %s grow with the count of names, and no faster', (pattern, piece) => {
    expectLinear((size) => stepsFor(pattern, `${piece.repeat(size)}q`), 20);
  });

  it.each(['main.ts', '*', '*.ts', '**/*.ts'])(
    'of %s are none, since its names are compared as they are',
    (pattern) => {
      expect(stepsFor(pattern, 'main.ts')).toBe(0);
    },
  );

  it('are at most one for each instruction and code point', () => {
    const pattern = `${'*(a|*(a|b)|'.repeat(20)}c${')'.repeat(20)}`;
    const name = 'ab'.repeat(100);
    // Each character of the pattern makes at most three instructions.
    expect(stepsFor(pattern, name)).toBeLessThanOrEqual(3 * pattern.length * (name.length + 1));
  });
});
