import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import {
  childPath,
  type DirectoryNode,
  type FileNode,
  isSameNode,
  joinPath,
  nodeAt,
  type TreeDifference,
  type TreeNode,
} from '../../filesystem/index.ts';
import type { CommitPlan, CommitStep, ExpectedFile, StagedContent } from './commit-step.ts';
import { DiskContent } from './disk-content.ts';
import { DiskDirectory } from './disk-directory.ts';
import { type DiskLink, linkOf } from './disk-link.ts';
import type { FileAccess } from './stamp.ts';
import { temporaryNameOf } from './temporary-name.ts';

/** The directory that a path stands in; `.` for the root. */
function parentOf(path: string): string {
  return posix.dirname(path);
}

/** Turns differences between what is on the disk and what shall be there into steps. */
class Planner {
  readonly id: string = randomUUID();
  readonly #before: DirectoryNode;
  readonly #accessOf: (path: string) => FileAccess | undefined;
  readonly #taken = new Map<string, string>();
  readonly #takenPaths = new Set<string>();
  readonly #moves: CommitStep[] = [];
  readonly #takes: CommitStep[] = [];
  readonly #directories: CommitStep[] = [];
  readonly #places: CommitStep[] = [];
  readonly #staged: StagedContent[] = [];
  readonly #expected: ExpectedFile[] = [];

  constructor(before: DirectoryNode, accessOf: (path: string) => FileAccess | undefined) {
    this.#before = before;
    this.#accessOf = accessOf;
  }

  plan(found: readonly TreeDifference[]): CommitPlan {
    const differences = found.filter((difference) => !isOneLink(difference));
    for (const difference of differences) this.#take(difference);
    for (const { path, before, after } of differences) {
      if (after === undefined) continue;
      if (isFile(before) && isFile(after)) this.#stage(path, parentOf(path), after, true);
      else this.#put(path, parentOf(path), after);
    }
    return {
      id: this.id,
      steps: [...this.#takes, ...this.#directories, ...this.#moves, ...this.#places],
      staged: this.#staged,
      expected: this.#expected,
    };
  }

  /** What is removed, or gives way to something of another kind, is taken out of the way first. */
  #take({ path, before, after }: TreeDifference): void {
    if (before === undefined) return;
    const stamp = before.kind === 'file' ? before.stamp : before.link?.stamp;
    // Of a link, the first part is its own.
    if (stamp !== undefined) this.#expected.push({ path, stamp: stamp.split('>')[0] ?? stamp });
    if (isFile(before) && isFile(after)) return;
    const trash = childPath(parentOf(path), temporaryNameOf(this.id, `t${this.#takes.length}`));
    this.#takes.push({ op: 'take', path, trash });
    this.#taken.set(path, trash);
    this.#takenPaths.add(path);
  }

  /** `beside` is a directory that is there before, during and after the commit, so that staged files can lie in it. */
  #put(path: string, beside: string, node: TreeNode): void {
    const trash = this.#movedFrom(node);
    const link = linkOf(node);
    if (trash !== undefined) {
      this.#moves.push({ op: 'give', path, from: trash });
    } else if (link !== undefined) {
      this.#places.push({ op: 'link', path, target: this.#textOf(link, path) });
    } else if (node.kind === 'file') {
      this.#stage(path, beside, node, false);
    } else {
      const mode = node instanceof DiskDirectory ? node.mode : undefined;
      this.#directories.push({ op: 'mkdir', path, ...(mode === undefined ? {} : { mode }) });
      for (const [name, child] of node.entries) this.#put(childPath(path, name), beside, child);
    }
  }

  /** What is written in a link: what was, unless from its new place that would lead elsewhere. */
  #textOf({ path: from, text, target }: DiskLink, path: string): string {
    const isNear = posix.isAbsolute(text) || parentOf(from) === parentOf(path);
    if (isNear || target === undefined || this.#isTaken(target)) return text;
    return posix.relative(`/${parentOf(path)}`, `/${target}`) || '.';
  }

  /** True when a path, or a directory on the way to it, is moved or removed. */
  #isTaken(path: string): boolean {
    for (let at = path; at !== '.'; at = parentOf(at)) if (this.#takenPaths.has(at)) return true;
    return false;
  }

  /** Where the node lies when all that happened to it is that it was moved; a move keeps everything. */
  #movedFrom(node: TreeNode): string | undefined {
    const from = originOf(node);
    const trash = from === undefined ? undefined : this.#taken.get(from);
    if (from === undefined || trash === undefined) return undefined;
    const present = nodeAt(this.#before, from);
    const isWhole = node.kind === 'directory' ? present?.kind === 'directory' : isSameNode(node, present);
    if (!isWhole) return undefined;
    this.#taken.delete(from);
    return trash;
  }

  #stage(path: string, beside: string, node: FileNode, replaces: boolean): void {
    const { content } = node;
    const index = this.#staged.length;
    const staged = childPath(beside, temporaryNameOf(this.id, `n${index}`));
    const old = content instanceof DiskContent ? content : undefined;
    // What was written keeps the access of what it replaces, what was moved, copied or restored has its own.
    const access = replaces && (old === undefined || old.path === path) ? this.#accessOf(path) : old?.access;
    this.#staged.push({
      path,
      staged,
      content,
      access,
      modifiedAtMs: node.stamp === undefined ? undefined : node.modifiedAtMs,
    });
    const backup = childPath(parentOf(path), temporaryNameOf(this.id, `b${index}`));
    this.#places.push({ op: 'place', path, staged, ...(replaces ? { backup } : {}) });
  }
}

/** True for what has content of its own. */
function isFile(node: TreeNode | undefined): node is FileNode {
  return node?.kind === 'file' && linkOf(node) === undefined;
}

/** True when the same link stands there on both sides, whatever has become of what it leads to. */
function isOneLink({ path, before, after }: TreeDifference): boolean {
  const link = linkOf(after);
  return link !== undefined && link.path === path && link.text === linkOf(before)?.text;
}

/** Where on the disk an unchanged node comes from. A change below a directory makes new nodes up to it. */
function originOf(node: TreeNode): string | undefined {
  if (node.kind === 'directory') {
    return node instanceof DiskDirectory && node.isUnchanged ? joinPath(node.segments) : undefined;
  }
  return node.content instanceof DiskContent && linkOf(node) === undefined ? node.content.path : undefined;
}

/**
 * The steps that bring the disk from `before`, which it holds, to the other side of the differences.
 * @param accessOf asks the disk.
 */
export function planCommit(
  before: DirectoryNode,
  differences: readonly TreeDifference[],
  accessOf: (path: string) => FileAccess | undefined,
): CommitPlan {
  return new Planner(before, accessOf).plan(differences);
}
