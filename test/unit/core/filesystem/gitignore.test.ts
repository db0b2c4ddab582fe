import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';

/** Whether a `.gitignore` file of the root leaves a file out. */
async function isLeftOut(rules: string, path: string): Promise<boolean> {
  const filesystem = new MemoryFilesystem({ files: { '.gitignore': rules, [path]: '' } });
  return !(await filesystem.glob('**', { respectGitignore: true })).paths.includes(path);
}

// What Git says of each; `gitignore-reference.slow.test.ts` asks it.
describe('the rules of .gitignore files', () => {
  it.each<readonly [rules: string, out: readonly string[], kept: readonly string[]]>([
    ['foo', ['foo', 'd/foo', 'foo/x'], ['foox', 'Foo']],
    ['/foo', ['foo', 'foo/x'], ['d/foo']],
    ['foo/', ['foo/x', 'd/foo/x'], ['foo']],
    ['d/foo', ['d/foo'], ['e/d/foo']],
    ['*.x', ['a.x', 'd/.x'], ['a.xx']],
    ['d/*', ['d/a', 'd/a/b'], ['d']],
    ['d/**', ['d/a', 'd/a/b'], ['d']],
    ['**/foo', ['foo', 'a/b/foo'], ['a/foox']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['b', 'ab']],
    ['a**/b', ['a/b', 'ax/y/b'], ['b']],
    ['d/**foo', ['d/foo', 'd/xfoo'], ['d/e/foo']],
    ['x?y', ['xay'], ['xy', 'x/y']],
    ['x[a/b]y', ['xay'], ['d/xay']],
    ['x[!a-c]', ['xd'], ['xb']],
    ['x[a\\-z]', ['x-', 'xz'], ['xm']],
    ['x[[:digit:]_]', ['x1', 'x_'], ['xa']],
    ['x[[:nope:]]', [], ['xn', 'x[[:nope:]]']],
    ['x[', [], ['x[']],
    ['x\\', [], ['x']],
    ['\\#a', ['#a'], []],
    ['\\!a', ['!a'], []],
    ['# foo', [], ['# foo', 'foo']],
    ['foo  ', ['foo'], ['foo  ']],
    ['foo\\ ', ['foo '], ['foo']],
    ['foo\t', ['foo\t'], ['foo']],
    ['\ufefffoo\r\nbar\r', ['foo', 'bar'], []],
    ['*.x\n!a.x', ['b.x'], ['a.x']],
    ['!a.x\n*.x', ['a.x'], []],
    ['d/\n!d/a', ['d/a'], []],
    ['foo\n!foo/', ['foo'], ['foo/x']],
    ['', [], ['a']],
    ['/', [], ['a']],
    ['!', [], ['!', 'a']],
    ['foo//', [], ['foo/x']],
  ])('%j', async (rules, out, kept) => {
    for (const path of out) expect([path, await isLeftOut(rules, path)]).toEqual([path, true]);
    for (const path of kept) expect([path, await isLeftOut(rules, path)]).toEqual([path, false]);
  });

  it('match characters, where Git matches bytes', async () => {
    expect(await isLeftOut('x?y', 'xéy')).toBe(true);
    expect(await isLeftOut('x[é]y', 'xéy')).toBe(true);
    expect(await isLeftOut('x?y', 'x👍y')).toBe(true);
  });

  it('count up to 10,000 in a file, each up to 1,024 characters', async () => {
    const first = Array.from({ length: 9999 }, (_, index) => `f${index}`).join('\n');
    expect(await isLeftOut(`${first}\n# comment\n\na\nb`, 'a')).toBe(true);
    expect(await isLeftOut(`${first}\n# comment\n\na\nb`, 'b')).toBe(false);
    expect(await isLeftOut(`*${'a'.repeat(1023)}\nb`, 'b')).toBe(true);
    expect(await isLeftOut(`b${'*'.repeat(1023)}`, 'b')).toBe(true);
    expect(await isLeftOut(`b${'*'.repeat(1024)}`, 'b')).toBe(false);
  });
});
