import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../../src/core/filesystem/index.ts';
import { draws } from '../../../support/draws.ts';

describe('compileGlob', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['*', ['a', '.hidden', 'a.b'], ['a/b']],
    ['a*c', ['ac', 'abc', 'abbc'], ['a/c', 'abcd']],
    ['?', ['a', '👍', 'é'], ['', 'ab', '/']],
    ['**', ['a', 'a/b/c'], []],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'a/b']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab/c']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['**/a/**/b', ['a/b', 'x/a/y/b', 'a/a/b/b'], ['b', 'a/x']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['**/**/a', ['a', 'x/a'], []],
    ['[abc]x', ['ax', 'cx'], ['dx', 'x', '[abc]x']],
    ['[a-cx]', ['b', 'x'], ['d', '-']],
    ['[!a-c]', ['d', '!', '👍'], ['a', 'dd']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[!]a]', ['b'], [']', 'a']],
    ['[a-]', ['a', '-'], ['b']],
    ['[\\]a]', [']', 'a'], ['\\']],
    ['[a\\-c]', ['a', '-', 'c'], ['b']],
    ['[😀-😎]', ['😃'], ['a', '\ud83d']],
    ['*[!😀]', ['x'], ['😀']],
    ['{a,b}.ts', ['a.ts', 'b.ts'], ['{a,b}.ts', 'ab.ts']],
    ['{a,b/{c,d}}x', ['ax', 'b/cx', 'b/dx'], ['bx']],
    ['{,x}a', ['a', 'xa'], ['ya']],
    ['\\{a,b}', ['{a,b}'], ['a', 'b']],
    ['{a,[,}]}b', ['ab', ',b', '}b'], ['b']],
    ['\\*', ['*'], ['a']],
    ['/a', ['a'], ['b/a']],
    ['./a//b', ['a/b'], ['a']],
    ['A', ['A'], ['a']],
    ['$(x)+.\\|^', ['$(x)+.|^'], ['x']],
  ])('%s', (pattern, matching, others) => {
    const glob = compileGlob(pattern);
    expect(matching.filter((path) => !glob.test(path))).toEqual([]);
    expect(others.filter((path) => glob.test(path))).toEqual([]);
  });

  it('knows where matches can be', () => {
    expect(compileGlob('src/lib/*.ts')).toMatchObject({ prefix: ['src', 'lib'], maxDepth: 3 });
    expect(compileGlob('src/{a,b}/**')).toMatchObject({ prefix: ['src'], maxDepth: undefined });
    expect(compileGlob('{a,b/c}')).toMatchObject({ prefix: [], maxDepth: 2 });
    expect(compileGlob('a')).toMatchObject({ prefix: [], maxDepth: 1 });
    expect(compileGlob('\\*/x')).toMatchObject({ prefix: ['*'] });
  });

  it.each([undefined, null, 42])('refuses %s', (pattern) => {
    // @ts-expect-error -- Not a pattern.
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'pattern-invalid' }));
  });

  it('matches what an expression for the same pattern matches', () => {
    const piece = fc.constantFrom(
      { glob: 'a', source: 'a' },
      { glob: 'b', source: 'b' },
      { glob: '/', source: '/' },
      { glob: '*', source: '[^/]*' },
      { glob: '?', source: '[^/]' },
      { glob: '[ab]', source: '[ab]' },
      { glob: '[!a]', source: '[^a/]' },
      { glob: '{a,bb}', source: '(?:a|bb)' },
      { glob: '/**/', source: '/(?:.*/)?' },
      { glob: '@(a|bb)', source: '(?:a|bb)' },
      { glob: '?(ab|*)', source: '(?:ab|[^/]*)?' },
      { glob: '*(a|ba)', source: '(?:a|ba)*' },
      { glob: '+(ab|?(b))', source: '(?:ab|b?)+' },
      { glob: '[[:alpha:]]', source: '[a-z]' },
    );
    const path = fc
      .array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), path, (pieces, name) => {
        const pattern = pieces.map(({ glob }) => glob).join('');
        // Doubled and outer slashes are dropped from patterns, and two stars may make a third thing.
        fc.pre(![pattern, name].some((text) => /\/\/|^\/|\/$/.test(text)));
        fc.pre(!pattern.replaceAll('/**/', '//').includes('**'));
        // oxlint-disable-next-line no-restricted-globals -- The test made the expression.
        const expression = new RegExp(`^${pieces.map(({ source }) => source).join('')}$`, 'u');
        expect([pattern, name, compileGlob(pattern).test(name)]).toEqual([
          pattern,
          name,
          expression.test(name),
        ]);
      }),
      { numRuns: draws(2000) },
    );
  });
});
