import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { draws } from '../../../support/draws.ts';

/** Git without the configuration of the machine. */
function git(folder: string, args: readonly string[], input = ''): { status: number | null; stdout: string } {
  return spawnSync('git', args, {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CEILING_DIRECTORIES: dirname(folder),
    },
  });
}

const hasGit = spawnSync('git', ['--version']).status === 0;

/**
 * One tree: files by path, and the text of its ignore files by directory (`.` for the root). Names are ASCII: Git's `?` and
 * `[…]` match one byte, ours one character.
 */
interface Case {
  readonly paths: readonly string[];
  readonly rules: Readonly<Record<string, string>>;
}

const name = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'ab', 'abb', 'b.x', 'a b', '#a', '!a', 'a]', '-', 'B');
const piece = fc.oneof(
  { weight: 4, arbitrary: name },
  {
    weight: 3,
    arbitrary: fc.constantFrom('*', '**', '/', '/', '**/', '/**', '/**/', '?', '*.x', 'a*', '***'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '[ab]',
        '[!a]',
        '[^b]',
        '[a-c]',
        '[]a]',
        '[a-]',
        '[c-a]',
        '[a\\-c]',
        '[[:alpha:]]',
        '[[:punct:]-b]',
      ],
      ...[
        '[[:x:]]',
        '[[:]',
        '[[a]',
        '[a/b]',
        '[',
        ']',
        '\\',
        '\\a',
        '\\*',
        '\\ ',
        '\\/',
        ' ',
        '\t',
        '!',
        '#',
        '\r',
      ],
    ),
  },
);
const line = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/', '#', '\\!'),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '', '/', ' ', '  '),
  )
  .map(([start, pieces, end]) => `${start}${pieces.join('')}${end}`);
const rulesText = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(line, { maxLength: 4 }), fc.constantFrom('\n', '\r\n'))
  .map(([mark, lines, ending]) => mark + lines.join(ending));
const directory = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'));

/** Files under paths of which none is a directory of another. */
function withoutClashes(paths: readonly string[]): readonly string[] {
  const kept = new Map<string, 'file' | 'directory'>();
  for (const path of paths) {
    const parents = path
      .split('/')
      .map((_part, index, parts) => parts.slice(0, index).join('/'))
      .slice(1);
    if (kept.has(path) || parents.some((parent) => kept.get(parent) === 'file')) continue;
    for (const parent of parents) kept.set(parent, 'directory');
    kept.set(path, 'file');
  }
  return [...kept].flatMap(([path, kind]) => (kind === 'file' ? [path] : []));
}

const tree: fc.Arbitrary<Case> = fc
  .record({
    paths: fc.array(fc.tuple(directory, name), { minLength: 4, maxLength: 14 }),
    rules: fc.array(fc.tuple(directory, rulesText), { minLength: 1, maxLength: 3 }),
    root: rulesText,
  })
  .map(({ paths, rules, root }) => {
    const texts: Record<string, string> = { '.': root };
    for (const [at, text] of rules) texts[at === '' ? '.' : at] = text;
    const files = paths.map(([parent, file]) => (parent === '' ? file : `${parent}/${file}`));
    const ignoreFiles = Object.keys(texts).map((at) => (at === '.' ? '.gitignore' : `${at}/.gitignore`));
    const all = withoutClashes([...files, ...ignoreFiles]);
    const kept = Object.entries(texts).filter(([at]) =>
      all.includes(at === '.' ? '.gitignore' : `${at}/.gitignore`),
    );
    return { paths: all, rules: Object.fromEntries(kept) };
  });

function filesOf({ paths, rules }: Case): Readonly<Record<string, string>> {
  return Object.fromEntries(
    paths.map((path) => {
      const at = path === '.gitignore' ? '.' : path.replace(/\/\.gitignore$/, '');
      return [path, path.endsWith('.gitignore') ? (rules[at] ?? '') : 'text\n'];
    }),
  );
}

describe.skipIf(!hasGit)('respectGitignore, compared with `git check-ignore` (needs git)', () => {
  const folders: string[] = [];
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  it('leaves out what Git ignores, for any rules and any tree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 30, maxLength: 30, size: 'max' }), async (cases) => {
        const folder = await mkdtemp(join(tmpdir(), 'gitignore-'));
        folders.push(folder);
        expect(git(folder, ['init', '-q']).status).toBe(0);
        const asked: string[] = [];
        for (const [index, given] of cases.entries()) {
          for (const [path, text] of Object.entries(filesOf(given))) {
            const at = join(folder, `case${index}`, path);
            await mkdir(dirname(at), { recursive: true });
            await writeFile(at, text);
            asked.push(`case${index}/${path}`);
          }
        }
        const { stdout } = git(folder, ['check-ignore', '--no-index', '-z', '--stdin'], asked.join('\0'));
        const ignored = new Set(stdout.split('\0'));
        for (const [index, given] of cases.entries()) {
          const expected = given.paths.filter((path) => !ignored.has(`case${index}/${path}`)).sort();
          const filesystem = new MemoryFilesystem({ files: filesOf(given) });
          const { paths } = await filesystem.glob('**', { respectGitignore: true });
          expect(paths, JSON.stringify(filesOf(given))).toEqual(expected);
          const { matches } = await filesystem.grep('text', { respectGitignore: true });
          expect(matches.map(({ path }) => path)).toEqual(
            expected.filter((path) => !path.endsWith('.gitignore')),
          );
        }
      }),
      { numRuns: draws(20) },
    );
  });
});
