import { describe, expect, it } from 'vitest';
import { isAtLeast, isInRange, majorOf } from '../../../../src/cli/doctor/versions.ts';

describe('versions', () => {
  it.each([
    ['20.19.0', '20.19', true],
    ['20.18.3', '20.19', false],
    ['22.0.0', '20.19', true],
    ['3.51.3', '3.51.3', true],
    ['3.9.0', '3.51.3', false],
    ['24.0.0-nightly2', '22.13', true],
  ])('%s is at least %s: %s', (version, least, expected) => {
    expect(isAtLeast(version, least)).toBe(expected);
  });

  it.each([
    ['7.57.0', '^6 || ^7', true],
    ['6.0.0', '^6 || ^7', true],
    ['8.0.0', '^6 || ^7', false],
    ['2.4.1', '^2.4.0', true],
    ['2.3.9', '^2.4.0', false],
    ['3.0.0', '^2.4.0', false],
    ['0.3.9', '^0.3', true],
    ['0.4.0', '^0.3', false],
    ['0.32.5', '^0.32.0', true],
    ['0.0.18', '^0.0.18', true],
    ['0.0.19', '^0.0.18', false],
    ['8.13.0', '>=8.13', true],
    ['8.12.9', '>=8.13', false],
    ['9.0.0', '>=8.13', true],
  ])('%s is in %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected);
  });

  it('has a major number', () => {
    expect([majorOf('24.21.0'), majorOf('')]).toEqual([24, 0]);
  });
});
