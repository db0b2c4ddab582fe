import { describe, expect, it } from 'vitest';
import { createTextStyle } from '../../../../src/cli/process/text-style.ts';
import { capturedStream } from '../support.ts';

const isColoured = (isTerminal: boolean, variables: Record<string, string>): boolean =>
  createTextStyle(capturedStream({ isTerminal }), variables)('bad', 'x') !== 'x';

describe('createTextStyle', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('on a terminal: %s, with %j: coloured %s', (isTerminal, variables, expected) => {
    expect(isColoured(isTerminal, variables)).toBe(expected);
  });

  it('leaves empty text empty', () => {
    expect(createTextStyle(capturedStream({ isTerminal: true }), {})('good', '')).toBe('');
  });
});
