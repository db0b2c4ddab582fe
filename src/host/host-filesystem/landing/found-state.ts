import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type DirectoryNode,
  type LandableChange,
  linkTextOf,
  nodeAt,
  segmentsOf,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { isRegularFile } from '../commit/taken-nodes.ts';

/** What a path is, as far as a row says. */
type PathState =
  | { readonly kind: 'absent' }
  /** A directory; before a change, an empty one. */
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly text: string }
  /** `hash` is empty when the content is not known. */
  | { readonly kind: 'file'; readonly hash: string; readonly bytes: number };

/** All that a commit says of one path: it can have removed one entry there and created another. */
export interface RecordedPath {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  /** The change that left something at the path; undefined when it was removed. */
  readonly put: LandableChange | undefined;
  /** The outermost directory that was removed with the path in it. */
  readonly removedWith: string | undefined;
}

const absentPath: PathState = { kind: 'absent' };

/** The changes by path, sorted: a directory is before what is in it. */
export function recordedPaths(changes: readonly LandableChange[]): readonly RecordedPath[] {
  const byPath = new Map<string, { removed?: LandableChange; put?: LandableChange }>();
  for (const change of changes) {
    const at = byPath.get(change.path) ?? {};
    byPath.set(change.path, { ...at, [change.kind === 'removed' ? 'removed' : 'put']: change });
  }
  const found = [...byPath].map(
    ([path, { removed, put }]): RecordedPath => ({
      path,
      before: removed === undefined ? beforeOf(put) : stateOf(removed, removed.link, removed.before),
      after: put === undefined ? absentPath : stateOf(put, put.link, put.after),
      put,
      removedWith: removed?.removedWith,
    }),
  );
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function beforeOf(put: LandableChange | undefined): PathState {
  return put?.kind === 'modified' ? stateOf(put, put.replacedLink, put.before) : absentPath;
}

function stateOf(
  { entry }: LandableChange,
  link: string | undefined,
  content: LandableChange['before'],
): PathState {
  if (link !== undefined) return { kind: 'link', text: link };
  if (entry === 'directory') return { kind: 'directory' };
  return { kind: 'file', hash: content?.hash ?? '', bytes: content?.bytes ?? 0 };
}

/** Compares what is at paths of the disk with what rows say. Contents are read at most once. */
export class FoundStates {
  readonly #root: DirectoryNode;
  readonly #hashes = new Map<TreeNode, string | undefined>();

  /** @param root the folder as it is now. */
  constructor(root: DirectoryNode) {
    this.#root = root;
  }

  /** The node at a path; a path through a link or a file has none. */
  at(path: string): TreeNode | undefined {
    return nodeAt(this.#root, path);
  }

  /** The first parent of a path that is neither a directory nor missing. */
  blockerOf(path: string): string | undefined {
    const segments = segmentsOf(path);
    for (let length = 1; length < segments.length; length += 1) {
      const parent = segments.slice(0, length).join('/');
      const node = this.at(parent);
      if (node === undefined) return undefined;
      if (node.kind === 'file' || node.link !== undefined) return parent;
    }
    return undefined;
  }

  /** Whether a path is as it was before the commit. */
  isBefore({ path, before }: RecordedPath): boolean {
    const node = this.at(path);
    if (before.kind === 'link') return node !== undefined && linkTextOf(node) === before.text;
    return this.is(path, before) && !(isDirectory(node) && node.entries.size > 0);
  }

  /** Whether a path is as the commit left it. */
  isAfter({ path, after, put }: RecordedPath): boolean {
    return this.is(path, after, put?.from);
  }

  /** Whether a path is what rows say. @param from where a link was that leads where it led from there. Default: `path`. */
  is(path: string, state: PathState, from: string = path): boolean {
    const node = this.at(path);
    if (state.kind === 'absent' || node === undefined)
      return (state.kind === 'absent') === (node === undefined);
    if (state.kind === 'directory') return isDirectory(node);
    if (state.kind === 'file') return this.#hasContent(node, state);
    const text = linkTextOf(node);
    return text !== undefined && leadsAlike(path, text, from, state.text);
  }

  /** The file at a path when it has the given content. */
  fileWith(path: string, wanted: PathState): TreeNode | undefined {
    const node = this.at(path);
    return wanted.kind === 'file' && this.#hasContent(node, wanted) ? node : undefined;
  }

  #hasContent(
    node: TreeNode | undefined,
    { hash, bytes }: Extract<PathState, { readonly kind: 'file' }>,
  ): boolean {
    if (!isRegularFile(node) || hash === '' || node.content.bytes !== bytes) return false;
    return this.#hashOf(node, node.content) === hash;
  }

  /** Undefined for a file that cannot be read, or is too large. */
  #hashOf(node: TreeNode, content: { data(): Uint8Array }): string | undefined {
    if (this.#hashes.has(node)) return this.#hashes.get(node);
    let hash: string | undefined;
    try {
      hash = createHash('sha256').update(content.data()).digest('hex');
    } catch (error) {
      if (!FilesystemError.isInstance(error)) throw error;
    }
    this.#hashes.set(node, hash);
    return hash;
  }
}

/** A directory that is not a link to one. */
export function isDirectory(node: TreeNode | undefined): node is DirectoryNode {
  return node?.kind === 'directory' && node.link === undefined;
}

/** Whether a link says the same as another one, or leads where that one led: one that is moved to another directory gets another text. */
function leadsAlike(path: string, text: string, from: string, wanted: string): boolean {
  if (text === wanted) return true;
  if (posix.isAbsolute(text) || posix.isAbsolute(wanted)) return false;
  return posix.join(posix.dirname(path), text) === posix.join(posix.dirname(from), wanted);
}

/** What a link says at a path so that it leads where it led from another path. @param from that path. Default: none, the text counts from `path`. */
export function linkTextAt(path: string, text: string, from: string = path): string {
  if (posix.isAbsolute(text) || posix.dirname(from) === posix.dirname(path)) return text;
  const target = posix.join(posix.dirname(from), text);
  // One that leads out of the folder keeps its text, as when it is moved.
  if (target === '..' || target.startsWith('../')) return text;
  return posix.relative(posix.join('/', posix.dirname(path)), posix.join('/', target)) || '.';
}
