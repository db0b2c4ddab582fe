import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import { compileGlob } from '../../../../src/core/filesystem/index.ts';

type Answer = boolean | 'refused';

/**
 * What bash 5.2 (`extglob`, `globstar`, `dotglob`) and minimatch 10 (`dot: true`) answer for a pattern and a path, and what
 * is to be answered here: the same where they agree, or a refusal. Anything else has its reason.
 */
const reference: readonly (readonly [
  pattern: string,
  path: string,
  bash: boolean,
  minimatch: boolean,
  ours: Answer,
  reason?: string,
])[] = [
  ['*.@(env|pem)', 'a.env', true, true, true],
  ['*.@(env|pem)', 'a.envx', false, false, false],
  ['*.@(env|pem)', 'a.@(env|pem)', false, false, false],
  ['@(a|b)c', 'ac', true, true, true],
  ['@(a|b)c', 'abc', false, false, false],
  ['?(a|b)c', 'c', true, true, true],
  ['?(a|b)c', 'bc', true, true, true],
  ['?(a|b)c', 'abc', false, false, false],
  ['*(a|b)c', 'c', true, true, true],
  ['*(a|b)c', 'abbac', true, true, true],
  ['*(a|b)c', 'adc', false, false, false],
  ['+(a|b)c', 'c', false, false, false],
  ['+(a|b)c', 'abc', true, true, true],
  ['@(a*|b)c', 'axxc', true, true, true],
  ['@(a|)b', 'b', true, true, true],
  ['@()b', 'b', true, true, true],
  ['@(@(a|b)|c)d', 'bd', true, true, true],
  ['+(@(a|b)c)', 'acbc', true, true, true],
  ['@([ab]|c)', 'b', true, true, true],
  ['@(a\\)b)', 'a)b', true, true, true],
  ['@(a\\|b)', 'a|b', true, false, true, 'as bash'],
  ['@(a|b)/c', 'a/c', true, true, true],
  ['**/@(a|b)', 'x/a', true, true, true],
  ['{@(a|b),c}d', 'ad', true, true, true],
  ['@({a,b}|c)', 'b', true, true, true],
  ['!(a)', 'b', true, true, 'refused'],
  ['!(a)', 'a', false, true, 'refused'],
  ['*.!(js)', 'a.ts', true, true, 'refused'],
  ['[[:alpha:]]', 'a', true, true, true],
  ['[[:alpha:]]', '1', false, false, false],
  ['[[:alpha:]]', 'é', true, true, true],
  ['[[:digit:]]', '7', true, true, true],
  ['[[:alnum:]_]', '_', true, true, true],
  ['[![:digit:]]', 'a', true, true, true],
  ['[^[:digit:]]', '7', false, false, false],
  ['[[:upper:][:digit:]]', 'Q', true, true, true],
  ['[[:xdigit:]]', 'f', true, true, true],
  ['[[:space:]]x', ' x', true, true, true],
  ['[[:punct:]]', '!', true, true, true],
  ['[[:punct:]]', '+', true, false, true, 'as bash'],
  ['[[:word:]]', '_', true, true, true],
  ['[[:word:]]', '-', false, false, false],
  ['[[:foo:]]', 'f', false, false, 'refused'],
  ['[:alpha:]', 'a', true, true, 'refused'],
  ['[[:alpha:]', 'a', false, false, 'refused'],
  ['[[:alpha]]', 'a]', true, true, 'refused'],
  ['[[.a.]]', 'a', true, false, 'refused'],
  ['[[=a=]]', 'a', true, false, 'refused'],
  ['[a-[:digit:]]', 'b', false, false, 'refused'],
  ['[a-c]', 'b', true, true, true],
  ['[c-a]', 'b', false, false, 'refused'],
  ['[a-]', '-', true, true, true],
  ['[a-c-e]', '-', true, true, true],
  ['[!a]', 'b', true, true, true],
  ['[^a]', 'b', true, true, true],
  ['[]a]', ']', true, true, true],
  ['[!]a]', 'b', true, true, true],
  ['[\\]a]', ']', true, true, true],
  ['[a\\-c]', 'b', false, false, false],
  ['[a', '[a', true, true, 'refused'],
  ['[a/b]', '[a/b]', true, true, 'refused'],
  ['[]', '[]', true, true, 'refused'],
  ['[{a,b}]', 'a', true, true, 'refused'],
  ['{a,b}', 'a', true, true, true],
  ['{a,b{c,d}}', 'bd', true, true, true],
  ['{,a}b', 'b', true, true, true],
  ['{a\\,b,c}', 'a,b', true, true, true],
  ['\\{a,b}', '{a,b}', true, true, true],
  ['{a}', '{a}', true, true, 'refused'],
  ['{}', '{}', true, true, 'refused'],
  ['{a,b', '{a,b', true, true, 'refused'],
  ['a{b', 'a{b', true, true, 'refused'],
  ['a}', 'a}', true, true, true],
  ['{1..3}', '2', true, true, true],
  ['{1..3}', '{1..3}', false, false, false],
  ['{3..1}', '2', true, true, true],
  ['{01..10}', '07', true, true, true],
  ['{01..10}', '7', false, false, false],
  ['{-1..1}', '-1', true, true, true],
  ['{1..9..3}', '4', true, true, true],
  ['{1..9..3}', '5', false, false, false],
  ['{1..3..0}', '2', true, true, true],
  ['{a..e}', 'c', true, true, true],
  ['{a..e..2}', 'b', false, false, false],
  ['{e..a}', 'c', true, true, true],
  ['{a..C}', 'b', false, false, 'refused'],
  ['{1..a}', '{1..a}', true, true, 'refused'],
  ['x{1..3}/y{a,b}', 'x2/yb', true, true, true],
  ['\\*', '*', true, true, true],
  ['\\*', 'a', false, false, false],
  ['\\?', '?', true, true, true],
  ['\\[a]', '[a]', true, true, true],
  ['\\!a', '!a', true, true, true],
  ['\\a', 'a', true, true, 'refused'],
  ['a\\/b', 'a/b', true, false, 'refused'],
  ['!a', 'b', false, true, 'refused'],
  ['!a', '!a', true, true, 'refused'],
  ['a|b', 'a', false, false, 'refused'],
  ['#a', '#a', true, false, true, 'as a shell takes it within a word'],
  ['(a)', '(a)', false, true, true, 'a syntax error in bash; folders have such names'],
  ['~a', '~a', true, true, true],
  ['a^', 'a^', true, true, true],
  ['*', '.a', true, true, true],
  ['**', '.a/.b', true, true, true],
  ['*/b', 'a/b', true, true, true],
  ['**/b', 'b', true, true, true],
  ['a/**', 'a/b/c', true, true, true],
  ['a/**', 'a', false, false, false],
  ['a/**/b', 'a/b', true, true, true],
  ['a**b', 'a/b', false, false, false],
  ['a**b', 'axb', true, true, true],
  ['***', 'a/b', false, false, false],
  ['?', 'é', true, true, true],
  ['?', '👍', true, false, true, 'as bash: a code point'],
  ['A', 'a', false, false, false],
  ['./a', 'a', true, false, true, 'as bash'],
  ['a//b', 'a/b', true, true, true],
];

function answerTo(pattern: string, path: string): Answer {
  try {
    return compileGlob(pattern).test(path);
  } catch (error) {
    if (!FilesystemError.isInstance(error) || error.code !== 'pattern-invalid') throw error;
    return 'refused';
  }
}

describe('what other tools make of a pattern', () => {
  it.each(reference.map(([pattern, path, , , ours]) => [pattern, path, ours] as const))(
    '%s for %s is %s',
    (pattern, path, ours) => {
      expect(answerTo(pattern, path)).toBe(ours);
    },
  );

  it('is made of it here too, or it is refused', () => {
    const departures = reference.filter(
      ([, , bash, minimatch, ours, reason]) =>
        ours !== 'refused' && (ours !== bash || ours !== minimatch) && reason === undefined,
    );
    expect(departures).toEqual([]);
  });
});

describe('a pattern that cannot be taken', () => {
  it.each([
    ['!(a|b)', '"!(", which is not supported'],
    ['x!(a)', '"!(", which is not supported'],
    ['!**/*.pem', 'starts with "!"'],
    ['@(a', '"@(" without ")"'],
    ['@(a/b)', 'A group cannot hold "/"'],
    ['@(a(b))', '"(" in a group'],
    ['{a,b|c}', '"|" outside of a group'],
    ['[[:letters:]]', 'an unknown class "[:letters:]"; there are alnum,'],
    ['[[:toString:]]', 'an unknown class "[:toString:]"'],
    ['[:digit:]', 'write a class in brackets of its own: "[[:digit:]]"'],
    ['[[:digit]]', '"[:" without ":]"'],
    ['[[.hyphen.]]', 'a collating element'],
    ['[[:digit:]-z]', 'a range that starts or ends with "[:digit:]"'],
    ['[z-a]', 'the range "z-a", which is empty'],
    ['[ab', '"[" without "]"'],
    ['{a,b', '"{" without "}"'],
    ['*.{env}', '"{env}", braces with neither a comma nor a range'],
    ['secrets\\keys', 'a backslash before "k"'],
    ['secrets\\', 'a backslash before the end of a name'],
    ['[\\w]', 'a backslash before "w"'],
    ['{1..100}', 'more than 64 alternatives'],
    ['{1..999999999999999}', 'more than 64 alternatives'],
    ['secrets/', 'ends with "/"'],
  ])('%s is refused by name', (pattern, problem) => {
    expect(() => compileGlob(pattern)).toThrow(
      expect.objectContaining({ code: 'pattern-invalid', message: expect.stringContaining(problem) }),
    );
  });
});
