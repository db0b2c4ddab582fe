import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMarkdownLinkScanner,
  resolveLinkTarget,
} from '../../../../../examples/review/model/rules/markdown-links.ts';

function targets(text: string): readonly string[] {
  const scanner = createMarkdownLinkScanner();
  return text
    .split('\n')
    .flatMap((line, index) => scanner.scan(index + 1, line).map((link) => `${link.line} ${link.target}`));
}

describe('createMarkdownLinkScanner', () => {
  it('finds links, images and definitions with their lines', () => {
    expect(targets('[a](x.md) and ![b](img/y.png "title")\n\n[ref]: <z a.md>\n[other]: q.md "t"')).toEqual([
      '1 x.md',
      '1 img/y.png',
      '3 z a.md',
      '4 q.md',
    ]);
  });

  it('takes brackets in a target and a link around an image', () => {
    expect(targets('[a](x_(1).md) [![b](y.png)](z.md)')).toEqual(['1 x_(1).md', '1 y.png', '1 z.md']);
  });

  it('leaves out code, in fences and in spans, and comments', () => {
    const text = [
      '```md',
      '[a](1.md)',
      '~~~',
      '[b](2.md)',
      '```',
      '~~~',
      '[c](3.md)',
      '```',
      '~~~',
      '`[d](4.md)` ``[e](`5.md)`` [f](6.md)',
      '<!-- [g](7.md) -->',
    ];
    expect(targets(text.join('\n'))).toEqual(['10 6.md']);
  });

  it('finds a link behind a single backtick', () => {
    expect(targets('a ` b [f](6.md)')).toEqual(['1 6.md']);
  });

  it('takes a closing fence only when it is long enough', () => {
    expect(targets('````\n```\n[a](1.md)\n````\n[b](2.md)')).toEqual(['5 2.md']);
  });

  it('takes no footnote for a link', () => {
    expect(targets('[^1]: see [a](x.md)')).toEqual(['1 x.md']);
  });

  it('stays fast and finds no more than there is, whatever the line', () => {
    const piece = fc.constantFrom('](', '`', '``', '<!--', '-->', '[', ')', '(', ' ', 'a');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const line = pieces.join('');
        expect(targets(line).length).toBeLessThanOrEqual(line.split('](').length);
      }),
    );
  });
});

describe('resolveLinkTarget', () => {
  it.each([
    ['.', 'a.md', 'a.md'],
    ['docs', 'a.md#part', 'docs/a.md'],
    ['docs', './../src/a.ts?raw', 'src/a.ts'],
    ['docs/x', '../..', '.'],
    ['docs', '/top.md', 'top.md'],
    ['.', 'with%20blank.md', 'with blank.md'],
    ['.', '100%.md', '100%.md'],
    ['.', 'dir/', 'dir'],
  ])('from %s, %s leads to %s', (folder, target, path) => {
    expect(resolveLinkTarget(folder, target)).toBe(path);
  });

  it.each([
    ['#part'],
    ['https://example.com/a'],
    ['mailto:a@b.c'],
    ['//host/a'],
    ['?q'],
    [''],
    ['../outside.md'],
  ])('leaves %j alone', (target) => {
    expect(resolveLinkTarget('.', target)).toBeUndefined();
  });
});
