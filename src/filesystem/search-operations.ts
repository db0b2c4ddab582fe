import type { FileLink, GlobOptions, GlobResult, GrepMatch, GrepOptions, GrepResult } from './filesystem.ts';
import { compileGlob, compileNameFilter, type Glob } from './glob.ts';
import { compileGrep } from './grep.ts';
import { assertIntegerOption } from './integer-option.ts';
import { childPath, normalizePath } from './path.ts';
import { notDirectoryError, notFoundError } from './path-error.ts';
import { blockedError, childrenInPathOrder } from './tree.ts';
import type { TreeCell } from './tree-cell.ts';
import { childOf, type DirectoryNode, type FileNode, type TreeNode } from './tree-node.ts';

const DEFAULT_GREP_LIMIT = 1000;
const DEFAULT_MAX_LINE_LENGTH = 2000;

interface FoundFile {
  readonly path: string;
  readonly node: FileNode;
}

/** Where a walk is. `relative` is the path from where the walk started. */
interface WalkPosition {
  readonly path: string;
  readonly relative: string;
  readonly depth: number;
}

/** The matching files below a directory, in the order of their paths. Only directories that can hold matches are entered. */
function* matchingFiles(
  directory: DirectoryNode,
  at: WalkPosition,
  glob: Glob | undefined,
): Generator<FoundFile, void> {
  const wanted = glob?.prefix[at.depth];
  if (wanted !== undefined) {
    const child = childOf(directory, wanted);
    if (child !== undefined) yield* matchingChild(child, wanted, at, glob);
    return;
  }
  for (const [name, child] of childrenInPathOrder(directory)) yield* matchingChild(child, name, at, glob);
}

function* matchingChild(
  node: TreeNode,
  name: string,
  at: WalkPosition,
  glob: Glob | undefined,
): Generator<FoundFile, void> {
  const path = childPath(at.path, name);
  const relative = childPath(at.relative, name);
  const depth = at.depth + 1;
  if (node.kind === 'file') {
    if (glob === undefined || glob.test(relative)) yield { path, node };
  } else if (glob?.maxDepth === undefined || depth < glob.maxDepth) {
    yield* matchingFiles(node, { path, relative, depth }, glob);
  }
}

/** Does `Filesystem.glob` on a cell. */
export function globFiles(cell: TreeCell, pattern: string, options: GlobOptions = {}): GlobResult {
  const path = normalizePath(options.path ?? '.');
  assertIntegerOption('limit', options.limit, 1);
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const glob = compileGlob(pattern);
  const found = cell.look({ kind: 'glob', path, glob });
  if (found.kind === 'blocked') throw blockedError(path, found.at);
  if (found.kind === 'absent') throw notFoundError(path, 'directory');
  if (found.node.kind === 'file') throw notDirectoryError(path);
  const paths: string[] = [];
  const links: Record<string, FileLink> = Object.create(null);
  let hasLinks = false;
  for (const file of matchingFiles(found.node, { path, relative: '.', depth: 0 }, glob)) {
    if (paths.length === limit) return globResult(paths, true, links, hasLinks);
    paths.push(file.path);
    const { link } = file.node;
    if (link === undefined) continue;
    // What is said of a link depends on where it leads, and not on its name alone.
    cell.look({ kind: 'file', path: file.path });
    links[file.path] = link;
    hasLinks = true;
  }
  return globResult(paths, false, links, hasLinks);
}

function globResult(
  paths: readonly string[],
  truncated: boolean,
  links: Readonly<Record<string, FileLink>>,
  hasLinks: boolean,
): GlobResult {
  return hasLinks ? { paths, truncated, links } : { paths, truncated };
}

function filesToSearch(cell: TreeCell, path: string, glob: Glob | undefined): Iterable<FoundFile> {
  const found = cell.look({ kind: 'grep', path, glob });
  if (found.kind === 'blocked') throw blockedError(path, found.at);
  if (found.kind === 'absent') throw notFoundError(path, 'file or directory');
  if (found.node.kind === 'directory')
    return matchingFiles(found.node, { path, relative: '.', depth: 0 }, glob);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return glob === undefined || glob.test(name) ? [{ path, node: found.node }] : [];
}

function cutLine(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const lastUnit = text.charCodeAt(maxLength - 1);
  const isPairSplit = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return `${text.slice(0, isPairSplit ? maxLength - 1 : maxLength)}…`;
}

/** Does `Filesystem.grep` on a cell. */
export function grepFiles(cell: TreeCell, pattern: string, options: GrepOptions = {}): GrepResult {
  const { limit = DEFAULT_GREP_LIMIT, maxLineLength = DEFAULT_MAX_LINE_LENGTH } = options;
  const path = normalizePath(options.path ?? '.');
  assertIntegerOption('limit', limit, 1);
  assertIntegerOption('maxLineLength', maxLineLength, 1);
  const glob = options.glob === undefined ? undefined : compileNameFilter(options.glob);
  const grep = compileGrep({
    pattern,
    literal: options.literal ?? false,
    ignoreCase: options.ignoreCase ?? false,
  });
  const matches: GrepMatch[] = [];
  let skippedBinary = 0;
  for (const file of filesToSearch(cell, path, glob)) {
    const text = file.node.content.text();
    if (text === undefined) {
      // A link that leads to no file has no content, binary or not.
      if (file.node.link === undefined || file.node.link.leads === 'file') skippedBinary += 1;
      continue;
    }
    for (const match of grep.matchingLines(text)) {
      if (matches.length === limit) return { matches, truncated: true, skippedBinary };
      matches.push({ path: file.path, line: match.line, text: cutLine(match.text, maxLineLength) });
    }
  }
  return { matches, truncated: false, skippedBinary };
}
