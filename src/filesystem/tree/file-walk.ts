import { childOf, type DirectoryNode, type FileNode } from '../content/tree-node.ts';
import type { Glob } from '../glob/glob.ts';
import { childPath, MAX_DEPTH, segmentsOf } from '../path/path.ts';
import { childrenInPathOrder, type NamedNode } from './tree.ts';

/** A file that a walk has found. */
export interface FoundFile {
  readonly path: string;
  readonly node: FileNode;
}

/** A directory that a walk has entered. */
interface WalkFrame {
  readonly children: readonly NamedNode[];
  next: number;
  readonly path: string;
  /** The path from where the walk started. */
  readonly relative: string;
  /** Segments of `relative`. */
  readonly depth: number;
}

/** The children that can lead to a match. */
function childrenOf(directory: DirectoryNode, depth: number, glob: Glob | undefined): readonly NamedNode[] {
  const wanted = glob?.prefix[depth];
  if (wanted === undefined) return childrenInPathOrder(directory);
  const child = childOf(directory, wanted);
  return child === undefined ? [] : [[wanted, child]];
}

/**
 * The files below a directory that a glob matches (all without one), in path order; yields undefined for every other entry, so
 * that the caller can pause there. Enters only directories that can contain matches, and none whose children are too deep for a path.
 */
export function* walkFiles(
  directory: DirectoryNode,
  path: string,
  glob: Glob | undefined,
): Generator<FoundFile | undefined, void> {
  // A file cannot be deeper than the maximum depth of a path.
  const maxDepth = Math.min(glob?.maxDepth ?? MAX_DEPTH, MAX_DEPTH - segmentsOf(path).length);
  const places: WalkFrame[] = [
    { children: childrenOf(directory, 0, glob), next: 0, path, relative: '.', depth: 0 },
  ];
  for (let place = places.at(-1); place !== undefined; place = places.at(-1)) {
    const entry = place.children[place.next];
    place.next += 1;
    if (entry === undefined || place.depth >= maxDepth) {
      places.pop();
      continue;
    }
    const [name, node] = entry;
    const at = childPath(place.path, name);
    const relative = childPath(place.relative, name);
    if (node.kind === 'file') {
      yield glob === undefined || glob.test(relative) ? { path: at, node } : undefined;
      continue;
    }
    yield undefined;
    const depth = place.depth + 1;
    if (depth < maxDepth) {
      places.push({ children: childrenOf(node, depth, glob), next: 0, path: at, relative, depth });
    }
  }
}
