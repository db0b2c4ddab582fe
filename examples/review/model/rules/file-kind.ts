/**
 * Kind of a file in the review, by its path alone.
 *
 * - `source`: hand-written code.
 * - `test`: a test of it.
 * - `markdown`: prose whose links are checked.
 * - `generated`: lock files, minified code and other output of tools; not reviewed.
 * - `data`: files below a folder of test data; not reviewed.
 * - `other`: everything else.
 */
export type FileKind = 'source' | 'test' | 'markdown' | 'generated' | 'data' | 'other';

/** How comments begin in a language; decides what counts as an open mark. */
export type CommentStyle = 'slash' | 'hash' | 'dash' | 'markup' | 'none';

const slashExtensions =
  'c cc cpp cs css cts cxx dart go groovy h hpp java js jsx kt kts less m mjs cjs mm mts php proto rs scala scss swift ts tsx zig';
const hashExtensions =
  'bash dockerfile ex exs fish graphql jl mk nix pl pm ps1 py pyi r rb sh tcl tf toml yaml yml zsh';
const dashExtensions = 'ada elm hs lua sql vhdl';
const markupExtensions = 'astro htm html markdown md mdx svelte svg vue xhtml xml';

const commentStyles: ReadonlyMap<string, CommentStyle> = new Map([
  ...extensionsOf(slashExtensions, 'slash'),
  ...extensionsOf(hashExtensions, 'hash'),
  ...extensionsOf(dashExtensions, 'dash'),
  ...extensionsOf(markupExtensions, 'markup'),
]);

/** Extensions whose files are code; comment styles also cover configuration and markup. */
const sourceExtensions: ReadonlySet<string> = new Set(
  (
    'astro bash c cc cjs cpp cs cts cxx dart ex exs elm go groovy h hpp hs java jl js jsx kt kts lua m mjs mm mts php pl pm ps1 py r rb ' +
    'rs scala sh sql svelte swift tcl ts tsx vue zig zsh'
  ).split(' '),
);

const generatedNames: ReadonlySet<string> = new Set([
  'bun.lock',
  'cargo.lock',
  'composer.lock',
  'gemfile.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
]);

const dataFolder = /^(?:__)?(?:fixtures?|testdata|test-data|snapshots)(?:__)?$|[-_]fixtures?$/;
const testFolder = /^(?:__tests?__|tests?|specs?|e2e)$/;
const testName = /(?:[._-](?:test|spec)(?:-d)?$)|(?:^test[._-])|(?:^conftest$)/;
const camelTestName = /[a-z0-9](?:Test|Tests|Spec)$/;

function extensionsOf(list: string, style: CommentStyle): readonly (readonly [string, CommentStyle])[] {
  return list.split(' ').map((extension) => [extension, style] as const);
}

/** Last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Folder of a path; `.` for the root. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? '.' : path.slice(0, end);
}

/** Extension without its dot, in lower case; a bare `Dockerfile` or `Makefile` counts as one. Empty when there is none. */
export function extensionOf(path: string): string {
  const name = baseName(path).toLowerCase();
  if (name === 'dockerfile') return 'dockerfile';
  if (name === 'makefile') return 'mk';
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1);
}

/** File name without its last extension: `reader.test` for `src/reader.test.ts`. */
export function stemOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

/** How comments begin in the file at `path`. */
export function commentStyleOf(path: string): CommentStyle {
  return commentStyles.get(extensionOf(path)) ?? 'none';
}

/** True when the name of a parent folder of `path` marks test data (`fixtures`, `testdata`, `x-fixture`, …). */
export function isTestData(path: string): boolean {
  return folderOf(path)
    .split('/')
    .some((segment) => dataFolder.test(segment.toLowerCase()));
}

/** Kind of the file at `path` in the review. */
export function fileKind(path: string): FileKind {
  if (isTestData(path)) return 'data';
  const name = baseName(path).toLowerCase();
  if (generatedNames.has(name) || /\.min\.(?:js|css)$|\.(?:map|snap|lock)$|\.generated\./.test(name))
    return 'generated';
  const extension = extensionOf(path);
  if (extension === 'md' || extension === 'markdown' || extension === 'mdx') return 'markdown';
  if (!sourceExtensions.has(extension)) return 'other';
  const stem = stemOf(path);
  if (testName.test(stem.toLowerCase()) || camelTestName.test(stem)) return 'test';
  return folderOf(path)
    .split('/')
    .some((segment) => testFolder.test(segment.toLowerCase()))
    ? 'test'
    : 'source';
}
