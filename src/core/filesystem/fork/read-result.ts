import { FilesystemError } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import { contentDigest } from '../content/file-content.ts';
import {
  bytesOf,
  childOf,
  type DirectoryNode,
  linkTextOf,
  type TreeNode,
  usualMode,
} from '../content/tree-node.ts';
import { compileFileGlob, compileNameFilter } from '../glob/file-glob.ts';
import type { FileRead } from '../interface/file-change.ts';
import { nodeAt } from '../tree/tree.ts';
import { leavesOf } from '../tree/tree-difference.ts';
import { describeRead, type FilesystemRead, kindAt, type PathRead, patternOf } from './read-set.ts';

/**
 * What a read finds in a tree, as a text: the same text exactly when the read finds the same. It covers as much as the comparison of the read in
 * `read-set.ts`, contents by their digests. Undefined for a read whose result cannot be compared later: a refusal because of a limit.
 */
export function readResult(read: FilesystemRead, root: DirectoryNode): string | undefined {
  switch (read.kind) {
    case 'quota':
      // Writing again is checked again.
      return '';
    case 'quota-refusal':
      return undefined;
    default:
      return JSON.stringify([kindAt(root, read.path), ...found(read, nodeAt(root, read.path))]);
  }
}

function found(read: PathRead, node: TreeNode | undefined): readonly unknown[] {
  if (node === undefined) return [];
  const { path } = read;
  switch (read.kind) {
    case 'kind':
      return [];
    case 'file':
      return node.kind === 'file' ? leafResult(node) : [];
    case 'listing':
      return childrenOf(node, (child) => [child.kind, child.kind === 'file' ? bytesOf(child) : 0]);
    case 'emptiness':
      return childrenOf(node, () => []);
    case 'names':
      return namesBelow(node);
    case 'glob': {
      const { glob } = read;
      return filesBelow(node, path, (below) => (glob.test(below) ? [] : undefined));
    }
    case 'grep': {
      const { glob } = read;
      if (node.kind === 'file') return leafResult(node);
      return filesBelow(node, path, (below, leaf) =>
        glob === undefined || glob.test(below) ? leafResult(leaf) : undefined,
      );
    }
    case 'tree':
      return [...leavesOf(node, path)].map((leaf) => [leaf.path, ...leafResult(leaf.node)]).sort(byText);
  }
}

/** A leaf of a tree: content, or that it cannot be read, and where a link leads. */
function leafResult(node: TreeNode): readonly unknown[] {
  const link = linkTextOf(node) ?? null;
  if (node.kind === 'directory') return ['directory', link];
  // Changes do not name the usual permissions of what was written.
  const isUsual = node.stamp === undefined && node.mode === usualMode;
  return [digestOf(node), isUsual ? null : (node.mode ?? null), link];
}

function digestOf({ content }: Extract<TreeNode, { readonly kind: 'file' }>): string {
  try {
    return `${content.bytes} ${contentDigest(content)}`;
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return error.code;
  }
}

function childrenOf(node: TreeNode, resultOf: (child: TreeNode) => readonly unknown[]): readonly unknown[] {
  if (node.kind === 'file') return [];
  return [...node.entries].map(([name, child]) => [name, ...resultOf(child)]).sort(byText);
}

function namesBelow(node: TreeNode): readonly unknown[] {
  return childrenOf(node, (child) => [child.kind, namesBelow(child)]);
}

/** @param resultOf what is found of a file, by its path below the directory; undefined: the read does not cover it. */
function filesBelow(
  node: TreeNode,
  root: string,
  resultOf: (below: string, leaf: TreeNode) => readonly unknown[] | undefined,
): readonly unknown[] {
  const results: unknown[] = [];
  for (const { path, node: leaf } of leavesOf(node, root)) {
    if (leaf.kind !== 'file') continue;
    const below = root === '.' ? path : path.slice(root.length + 1);
    const result = resultOf(below, leaf);
    if (result !== undefined) results.push([path, ...result]);
  }
  return results.sort(byText);
}

function byText(left: unknown, right: unknown): number {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The read that observers got, to be done again. Undefined for one that has no path. */
export function readAgain({ kind, path, pattern }: FileRead): FilesystemRead | undefined {
  if (kind === 'quota-refusal') return { kind };
  if (kind === 'quota' || path === undefined) return undefined;
  if (kind !== 'glob' && kind !== 'grep') return { kind, path };
  if (kind === 'grep')
    return { kind, path, glob: pattern === undefined ? undefined : compileNameFilter(pattern) };
  return pattern === undefined ? undefined : { kind, path, glob: compileFileGlob(pattern) };
}

/**
 * The reads of a fork as observers get them, with what they found in the base of the fork.
 *
 * @param hasResults whether each has its result, which may take a walk over all that it covers.
 */
export function observedReads(
  reads: Iterable<FilesystemRead>,
  base: DirectoryNode,
  hasResults: boolean,
): readonly FileRead[] {
  return [...reads].map((read) => {
    const observed = observedRead(read, base);
    const result = hasResults ? readResult(read, base) : undefined;
    return result === undefined ? observed : { ...observed, result };
  });
}

function observedRead(read: FilesystemRead, base: DirectoryNode): FileRead {
  const { kind } = read;
  const what = describeRead(read);
  if (!('path' in read)) return { kind, what };
  const { path } = read;
  switch (kind) {
    case 'file': {
      const node = nodeAt(base, path);
      const content = node?.kind === 'file' ? node.content : undefined;
      return { kind, what, path, found: kindOf(node), ...present({ content }) };
    }
    case 'kind':
      return { kind, what, path, found: kindOf(nodeAt(base, path)) };
    case 'listing':
      return { kind, what, path, names: namesIn(nodeAt(base, path)) };
    default:
      return { kind, what, path, ...present({ pattern: patternOf(read) }) };
  }
}

function kindOf(node: TreeNode | undefined): 'file' | 'directory' | 'absent' {
  return node?.kind ?? 'absent';
}

/** The names that the listing found; those of a directory that is read on demand are there, since it was listed. */
function namesIn(node: TreeNode | undefined): readonly string[] {
  if (node?.kind !== 'directory') return [];
  return [...node.entries.keys()].filter((name) => childOf(node, name) !== undefined).sort();
}
