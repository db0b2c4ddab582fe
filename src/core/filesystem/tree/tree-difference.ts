import { PersistentMap, present } from '../../internal/index.ts';
import {
  childOf,
  childrenOf,
  type DirectoryNode,
  type FileNode,
  isSameNode,
  linkTextOf,
  type TreeNode,
  usualMode,
} from '../content/tree-node.ts';
import type { FileChange, FileOperation } from '../interface/file-change.ts';
import { childPath } from '../path/path.ts';

/** The topmost path where two trees differ and are not both directories. An absent side is undefined. */
export interface TreeDifference {
  readonly path: string;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/** One name whose nodes differ in two directories. */
interface EntryDifference {
  readonly key: string;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/** The names whose nodes differ. Directories differ unless they are the same node: their content is not compared. */
export function* entryDifferences(
  before: DirectoryNode,
  after: DirectoryNode,
): Generator<EntryDifference, void> {
  const names =
    before.lazy === undefined ? after.lazy?.namesToCompare(before) : before.lazy.namesToCompare(after);
  if (names === undefined) {
    for (const difference of PersistentMap.differences(before.entries, after.entries)) {
      if (!isSameNode(difference.before, difference.after)) yield difference;
    }
    return;
  }
  for (const key of names) {
    const left = childOf(before, key);
    const right = childOf(after, key);
    if (!isSameNode(left, right)) yield { key, before: left, after: right };
  }
}

/** The paths where two nodes differ, in no particular order. Shared subtrees are not entered. */
export function* treeDifferences(
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  path: string,
): Generator<TreeDifference, void> {
  if (isSameNode(before, after)) return;
  if (before?.kind !== 'directory' || after?.kind !== 'directory' || before.link !== after.link) {
    yield { path, before, after };
    return;
  }
  for (const difference of entryDifferences(before, after)) {
    yield* treeDifferences(difference.before, difference.after, childPath(path, difference.key));
  }
}

/** A file, or an empty directory, of a tree. */
interface Leaf {
  readonly path: string;
  readonly node: TreeNode;
}

/** The files and empty directories of a node. */
export function* leavesOf(node: TreeNode | undefined, path: string): Generator<Leaf, void> {
  if (node === undefined) return;
  if (node.kind === 'file') {
    yield { path, node };
    return;
  }
  let isEmpty = true;
  for (const [name, child] of childrenOf(node)) {
    isEmpty = false;
    yield* leavesOf(child, childPath(path, name));
  }
  if (isEmpty) yield { path, node };
}

/** What a row needs beside the content to make the entry again. */
function attributesOf(
  node: TreeNode,
  mode = node.kind === 'file' ? node.mode : undefined,
): Partial<FileChange> {
  const link = linkTextOf(node);
  if (link !== undefined) return { link };
  return mode === undefined || mode === usualMode ? {} : { mode };
}

/** @param top the path of the whole that the entry was created or removed with. */
function changeOf(kind: 'created' | 'removed', { path, node }: Leaf, top: string): FileChange {
  const isWithin = kind === 'removed' && path !== top;
  const attributes = { ...attributesOf(node), ...present({ removedWith: isWithin ? top : undefined }) };
  if (node.kind === 'directory') return { path, kind, entry: 'directory', ...attributes };
  const side = kind === 'created' ? { after: node.content } : { before: node.content };
  return { path, kind, entry: 'file', ...side, ...attributes };
}

/** A written file keeps the permissions of the file that it replaces. */
function modification(path: string, before: FileNode, after: FileNode): FileChange {
  const { linkText, mode: replacedMode = usualMode } = before;
  const mode = after.linkText === undefined ? (after.mode ?? before.mode ?? usualMode) : usualMode;
  const hasOtherMode = linkText === undefined && replacedMode !== mode;
  return {
    path,
    kind: 'modified',
    entry: 'file',
    before: before.content,
    after: after.content,
    ...attributesOf(after, after.mode ?? before.mode),
    ...present({ replacedMode: hasOtherMode ? replacedMode : undefined, replacedLink: linkText }),
  };
}

function* changesOf({ path, before, after }: TreeDifference): Generator<FileChange, void> {
  if (before?.kind === 'file' && after?.kind === 'file') {
    yield modification(path, before, after);
    return;
  }
  for (const leaf of leavesOf(before, path)) yield changeOf('removed', leaf, path);
  for (const leaf of leavesOf(after, path)) yield changeOf('created', leaf, path);
}

/** The files, and the empty directories created or removed, that differ between two trees; sorted by path, removals first. */
export function fileChanges(before: DirectoryNode, after: DirectoryNode): readonly FileChange[] {
  return changesIn(treeDifferences(before, after, '.'));
}

/** {@link fileChanges} for differences that are already known. */
export function changesIn(differences: Iterable<TreeDifference>): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const difference of differences) {
    for (const change of changesOf(difference)) changes.push(change);
  }
  return changes.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
}

function isLink(node: TreeNode | undefined): boolean {
  return node?.kind === 'directory' && node.link !== undefined;
}

/** The operations that produce the given differences; they put the same nodes on any tree. */
export function operationsOf(differences: Iterable<TreeDifference>): readonly FileOperation[] {
  const operations: FileOperation[] = [];
  for (const { path, before, after } of differences) {
    if (before !== undefined && (before.kind !== after?.kind || isLink(before) || isLink(after)))
      operations.push({ op: 'remove', path });
    if (after !== undefined) operations.push({ op: 'put', path, node: after });
  }
  return operations;
}

/** The operations that turn one tree into another; they put the same nodes on any other tree. */
export function patchOperations(before: DirectoryNode, after: DirectoryNode): readonly FileOperation[] {
  return operationsOf(treeDifferences(before, after, '.'));
}
