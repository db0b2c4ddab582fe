import { childOf, type DirectoryNode, type FileNode, type NamedNode } from '../content/tree-node.ts';
import {
  enterIgnoreScope,
  gitDirectory,
  type IgnoreScope,
  ignoreFile,
  isIgnored,
} from '../glob/gitignore.ts';
import type { Glob } from '../glob/glob.ts';
import { childPath, maxPathDepth, segmentsOf } from '../path/path.ts';
import { childrenInPathOrder } from './tree.ts';

/** A file that a walk has found. */
export interface FoundFile {
  readonly path: string;
  readonly node: FileNode;
}

/** What a walk leaves out because of `.gitignore` files, and how much that was. */
export interface WalkIgnores {
  /** The scope of the directories above the one where the walk starts. */
  readonly scope: IgnoreScope | undefined;
  /** Entries left out so far that the glob could have found: a directory counts once. */
  ignored: number;
}

/** A directory that a walk has entered. */
interface WalkFrame {
  readonly scope: IgnoreScope | undefined;
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

/** The text of the `.gitignore` file of a directory. A link is not followed, as in Git. */
function ignoreTextOf(directory: DirectoryNode): string | undefined {
  const node = childOf(directory, ignoreFile);
  return node?.kind === 'file' && node.link === undefined ? node.content.text() : undefined;
}

/**
 * The files below a directory that a glob matches (all without one), in path order; yields undefined for every other entry, so
 * that the caller can pause there. Enters only directories that can contain matches, and none whose children are too deep for a path.
 * @param ignores leaves out what `.gitignore` files name, and is updated. Default: nothing is left out.
 */
export function* walkFiles(
  directory: DirectoryNode,
  path: string,
  glob: Glob | undefined,
  ignores?: WalkIgnores,
): Generator<FoundFile | undefined, void> {
  // A file cannot be deeper than the maximum depth of a path.
  const maxDepth = Math.min(glob?.maxDepth ?? maxPathDepth, maxPathDepth - segmentsOf(path).length);
  const enter = (node: DirectoryNode, at: string, outer: IgnoreScope | undefined): IgnoreScope | undefined =>
    ignores === undefined ? undefined : enterIgnoreScope(outer, at, ignoreTextOf(node));
  const isLeftOut = (place: WalkFrame, name: string, at: string, isDirectory: boolean): boolean => {
    if (ignores === undefined) return false;
    if (name === gitDirectory) return true;
    const isOut = isIgnored(place.scope, at, isDirectory);
    if (isOut) ignores.ignored += 1;
    return isOut;
  };
  const scope = enter(directory, path, ignores?.scope);
  const places: WalkFrame[] = [
    { scope, children: childrenOf(directory, 0, glob), next: 0, path, relative: '.', depth: 0 },
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
      const isFound = (glob === undefined || glob.test(relative)) && !isLeftOut(place, name, at, false);
      yield isFound ? { path: at, node } : undefined;
      continue;
    }
    yield undefined;
    const depth = place.depth + 1;
    if (depth < maxDepth && !isLeftOut(place, name, at, node.link === undefined)) {
      const children = childrenOf(node, depth, glob);
      places.push({ scope: enter(node, at, place.scope), children, next: 0, path: at, relative, depth });
    }
  }
}
