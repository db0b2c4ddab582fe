import { FilesystemError } from '../../error/index.ts';
import { contentDigest } from '../content/file-content.ts';
import { bytesOf, childOf, type DirectoryNode, linkTextOf, type TreeNode } from '../content/tree-node.ts';
import { compileGlob } from '../glob/glob.ts';
import type { FileRead } from '../interface/file-change.ts';
import { nodeAt } from '../tree/tree.ts';
import { leavesOf } from '../tree/tree-difference.ts';
import { describeRead, type FilesystemRead, kindAt } from './read-set.ts';

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

type ReadOfPath = Exclude<FilesystemRead, { readonly kind: 'quota' | 'quota-refusal' }>;

function found(read: ReadOfPath, node: TreeNode | undefined): readonly unknown[] {
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
  return node.kind === 'directory' ? ['directory', link] : [digestOf(node), node.mode ?? null, link];
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
  switch (kind) {
    case 'quota':
    case 'quota-refusal':
      return kind === 'quota-refusal' ? { kind } : undefined;
    case 'glob':
      return path === undefined || pattern === undefined
        ? undefined
        : { kind, path, glob: compileGlob(pattern) };
    case 'grep':
      if (path === undefined) return undefined;
      return { kind, path, glob: pattern === undefined ? undefined : compileGlob(pattern) };
    default:
      return path === undefined ? undefined : { kind, path };
  }
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
  const what = describeRead(read);
  switch (read.kind) {
    case 'quota':
    case 'quota-refusal':
      return { kind: read.kind, what };
    case 'glob':
    case 'grep': {
      const { kind, path, glob } = read;
      return glob === undefined ? { kind, what, path } : { kind, what, path, pattern: glob.pattern };
    }
    case 'file': {
      const node = nodeAt(base, read.path);
      const observed = { kind: 'file', what, path: read.path, found: kindOf(node) } as const;
      return node?.kind === 'file' ? { ...observed, content: node.content } : observed;
    }
    case 'kind':
      return { kind: 'kind', what, path: read.path, found: kindOf(nodeAt(base, read.path)) };
    case 'listing':
      return { kind: 'listing', what, path: read.path, names: namesIn(nodeAt(base, read.path)) };
    case 'emptiness':
    case 'names':
    case 'tree':
      return { kind: read.kind, what, path: read.path };
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
