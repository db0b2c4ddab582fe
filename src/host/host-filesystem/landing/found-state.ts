import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type DirectoryNode,
  linkTextOf,
  nodeAt,
  segmentsOf,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { isRegularFile } from '../commit/taken-nodes.ts';
import type { PathState, RecordedPath } from './recorded-path.ts';

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
    if (before.kind === 'directory') return isDirectory(node) && node.entries.size === 0;
    return this.#is(node, before, (text) => before.kind === 'link' && text === before.text);
  }

  /** Whether a path is as the commit left it. */
  isAfter({ path, after, put }: RecordedPath): boolean {
    const node = this.at(path);
    if (after.kind === 'directory') return isDirectory(node);
    const from = put?.from ?? path;
    return this.#is(node, after, (text) => after.kind === 'link' && leadsAlike(path, text, from, after.text));
  }

  /** Whether a path is what rows say. @param from where a link was that leads where it led from there. Default: `path`. */
  is(path: string, state: PathState, from: string = path): boolean {
    const node = this.at(path);
    if (state.kind === 'directory') return isDirectory(node);
    return this.#is(node, state, (text) => state.kind === 'link' && leadsAlike(path, text, from, state.text));
  }

  /** The file at a path when it has the given content. */
  fileWith(path: string, wanted: PathState): TreeNode | undefined {
    const node = this.at(path);
    return wanted.kind === 'file' && this.#hasContent(node, wanted) ? node : undefined;
  }

  #is(node: TreeNode | undefined, state: PathState, isLink: (text: string) => boolean): boolean {
    if (state.kind === 'absent' || node === undefined)
      return (state.kind === 'absent') === (node === undefined);
    const text = linkTextOf(node);
    if (state.kind === 'link') return text !== undefined && isLink(text);
    return state.kind === 'file' && this.#hasContent(node, state);
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
