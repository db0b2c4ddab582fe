import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function json(path: string): unknown {
  return JSON.parse(read(path));
}

it('CONTRIBUTING.md has the wings and their rooms in order', () => {
  const { order } = json('scripts/wings.json') as {
    readonly order: Readonly<Record<string, readonly (string | readonly string[])[]>>;
  };
  const [, tree = ''] = read('CONTRIBUTING.md').split('\nsrc/ ');
  const lines = [...(tree.split('\ntest/ ')[0] ?? '').matchAll(/^ {2}([\w-]+)\/ +(.+)$/gm)];
  expect(lines.map(([, wing]) => wing)).toEqual([...(order['']?.flat() ?? []), 'entries']);
  for (const [, wing = '', text = ''] of lines) {
    const words: readonly string[] = text.match(/[\w-]+/g) ?? [];
    let position = 0;
    for (const room of order[wing]?.flat() ?? []) {
      const found = words.indexOf(room, position);
      expect(found, `${wing}/${room} in its place in: ${text}`).not.toBe(-1);
      position = found + 1;
    }
  }
});

it('CONTRIBUTING.md names files and folders that are there', () => {
  const paths = [...read('CONTRIBUTING.md').matchAll(/`((?:src|scripts|test)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

it('the files of src/entries are what the package exports, and its command', () => {
  const { exports, bin } = json('package.json') as {
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
    readonly bin: Readonly<Record<string, string>>;
  };
  const subpaths = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  const names = subpaths.map(([subpath]) => (subpath === '.' ? 'index' : subpath.slice('./'.length)));
  expect(subpaths.map(([, target]) => target)).toEqual(
    names.map((name) => ({ types: `./dist/entries/${name}.d.ts`, default: `./dist/entries/${name}.js` })),
  );
  const entries = readdirSync(new URL('src/entries', root)).map((file) => file.replace(/\.ts$/, ''));
  expect(entries.toSorted()).toEqual([...names, ...Object.keys(bin)].toSorted());
  expect(bin).toEqual({ wink: './dist/entries/wink.js' });
});

it('the entries say that they run in any runtime where they do, and nowhere else', () => {
  const { anyRuntime } = json('scripts/wings.json') as { readonly anyRuntime: readonly string[] };
  const rows = [
    ...read('guides/reference/entries.md').matchAll(
      /^\| `weakincentives(?:\/([\w-]+))?` \|.*\| ([^|]+) \|$/gm,
    ),
  ];
  expect(rows.length).toBeGreaterThan(anyRuntime.length);
  const named = rows.filter(([, , runtime = '']) => runtime.startsWith('any runtime'));
  expect(named.map(([, name = 'index']) => name)).toEqual(anyRuntime);
});

it('CONTRIBUTING.md names functions and classes that are where it says', () => {
  const named = [
    ...read('CONTRIBUTING.md').matchAll(
      /((?:`\w+(?:\(\))?`(?:, | and )?)+) of `((?:src|scripts)\/[\w./-]+\.\w+)`/g,
    ),
  ];
  expect(named.length).toBeGreaterThan(15);
  const wrong = named.flatMap(([, names = '', path = '']) =>
    [...names.matchAll(/`(\w+)/g)].flatMap(([, name = '']) =>
      new RegExp(`\\b${name}\\b`).test(read(path)) ? [] : [`${name} of ${path}`],
    ),
  );
  expect(wrong).toEqual([]);
});
