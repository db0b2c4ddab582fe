import { describe, expect, it } from 'vitest';
import { dedent } from '../../../../../src/core/prompt/template/parse-template.ts';

describe('dedent', () => {
  it('takes off the indentation that all lines share', () => {
    expect(dedent('\n    One\n      two\n    three\n  ')).toBe('One\n  two\nthree');
  });

  it('counts the first line like any other', () => {
    expect(dedent('List:\n  - a\n  - b')).toBe('List:\n  - a\n  - b');
  });

  it('ignores lines of blank space and empties them', () => {
    expect(dedent('    a\n \n\t\n    b')).toBe('a\n\n\nb');
  });

  it('does not mix tabs with spaces', () => {
    expect(dedent('\t a\n\t\tb')).toBe('a\n\tb');
    expect(dedent('  a\n\tb')).toBe('a\n\tb');
  });

  it('turns CRLF into LF', () => {
    expect(dedent('  a\r\n  b\r\n')).toBe('a\nb');
  });

  it('gives an empty text for blank space', () => {
    expect(dedent(' \n\t ')).toBe('');
  });
});
