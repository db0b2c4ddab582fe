import { childOf, type DirectoryNode, type TreeNode } from '../content/tree-node.ts';
import type { FileRead } from '../interface/file-read.ts';
import { nodeAt } from '../tree/tree.ts';
import { readResult } from './read-result.ts';
import { describeRead, type FilesystemRead } from './read-set.ts';

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
      const found = kindOf(node);
      return node?.kind === 'file'
        ? { kind: 'file', what, path: read.path, found, content: node.content }
        : { kind: 'file', what, path: read.path, found };
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
