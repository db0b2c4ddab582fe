import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import {
  childPath,
  type DirectoryNode,
  type FileNode,
  isSameNode,
  nodeAt,
  type TreeDifference,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { temporaryNameOf } from '../jail/jail.ts';
import { DiskContent, RefusedContent } from '../tree/disk-content.ts';
import { DiskDirectory } from '../tree/disk-directory.ts';
import { type DiskLink, linkOf } from '../tree/disk-leaf.ts';
import type { CommitPlan, CommitStep, ExpectedFile, StagedContent } from './commit-step.ts';
import { notRecreatableError, unlistedNotMovedError } from './restorable.ts';
import { isRegularFile, isSameLink, type Taken, TakenNodes } from './taken-nodes.ts';

/** The parent directory of a path; `.` for the root. */
function parentOf(path: string): string {
  return posix.dirname(path);
}

/** The target of a new or moved entry. */
interface Place {
  readonly path: string;
  /** A directory that exists before, during and after the commit, so that staged files can be kept in it. */
  readonly beside: string;
  /** The path before the commit, which differs below a directory that is moved. */
  readonly oldPath: string;
}

/** Turns the differences between the disk and the wanted content into steps. */
class Planner {
  readonly id: string = randomUUID();
  readonly #before: DirectoryNode;
  readonly #taken: TakenNodes;
  /** Directories to create or move, outermost first. */
  readonly #made: CommitStep[] = [];
  readonly #places: CommitStep[] = [];
  readonly #staged: StagedContent[] = [];
  readonly #expected: ExpectedFile[] = [];
  readonly #replaced: string[] = [];

  constructor(before: DirectoryNode) {
    this.#before = before;
    this.#taken = new TakenNodes(this.id);
  }

  plan(found: readonly TreeDifference[]): CommitPlan {
    const differences = found.filter((difference) => !isSameLink(difference, difference.path));
    this.#taken.takeAll(differences);
    for (const { path, before } of differences) this.#expect(path, before);
    for (const { path, before, after } of differences) {
      const place = { path, beside: parentOf(path), oldPath: path };
      if (after === undefined) continue;
      if (isRegularFile(before) && isRegularFile(after)) this.#stage(place, after, before);
      else this.#put(place, after);
    }
    return {
      id: this.id,
      steps: [...this.#taken.steps(), ...this.#made, ...this.#places],
      staged: this.#staged,
      expected: this.#expected,
      replaced: this.#replaced,
      removed: this.#taken.removed(),
    };
  }

  /** Expects what is replaced or removed to be what the view saw. */
  #expect(path: string, before: TreeNode | undefined): void {
    const stamp = before?.kind === 'file' ? before.stamp : before?.link?.stamp;
    // The first part of a link's stamp is that of the link itself.
    if (stamp !== undefined) this.#expected.push({ path, stamp: stamp.split('>')[0] ?? stamp });
  }

  #put(place: Place, node: TreeNode): void {
    const { path } = place;
    const moved = this.#taken.givenTo(path);
    const file = moved === undefined ? this.#movedFile(node) : undefined;
    const link = linkOf(node);
    if (moved !== undefined) this.#move(place, moved);
    else if (file !== undefined) this.#made.push({ op: 'give', path, from: file.trash });
    else if (link !== undefined) this.#places.push(this.#linkStep(link, path));
    else if (node.kind === 'file') this.#stage(place, node);
    else {
      if (node instanceof DiskDirectory && node.listing.unlistedNames.length > 0)
        throw unlistedNotMovedError(path, node.listing.unlistedNames);
      const mode = node instanceof DiskDirectory ? node.mode : undefined;
      this.#made.push({ op: 'mkdir', path, ...present({ mode }) });
      for (const [name, child] of node.entries) this.#put(below(place, name), child);
    }
  }

  /** Moves a directory with its content to its new path; other changes in it are made there. */
  #move(place: Place, { path: from, trash, inner }: Taken): void {
    this.#made.push({ op: 'give', path: place.path, from: trash });
    for (const { path, before, after } of inner) {
      const oldPath = childPath(from, path);
      this.#expect(oldPath, before);
      if (after === undefined) continue;
      const at = { path: childPath(place.path, path), beside: place.beside, oldPath };
      if (isRegularFile(before) && isRegularFile(after)) this.#stage(at, after, before);
      else this.#put(at, after);
    }
  }

  /** The taken node of a file that was moved and not changed. */
  #movedFile(node: TreeNode): Taken | undefined {
    if (node.kind !== 'file' || !(node.content instanceof DiskContent) || linkOf(node) !== undefined)
      return undefined;
    const { path } = node.content;
    return isSameNode(node, nodeAt(this.#before, path)) ? this.#taken.give(path) : undefined;
  }

  /** The step for a link: its target is kept, unless it would lead elsewhere from the new path. */
  #linkStep({ path: from, text, target, bytes }: DiskLink, path: string): CommitStep {
    if (bytes !== undefined)
      return { op: 'link', path, target: bytes.toString('base64'), encoding: 'base64' };
    const isNear = posix.isAbsolute(text) || parentOf(from) === parentOf(path);
    if (isNear || target === undefined || this.#taken.covers(target))
      return { op: 'link', path, target: text };
    return { op: 'link', path, target: posix.relative(`/${parentOf(path)}`, `/${target}`) || '.' };
  }

  /** @param replaced the file at `oldPath` on the disk, which is replaced. */
  #stage({ path, beside, oldPath }: Place, node: FileNode, replaced?: FileNode): void {
    const { content } = node;
    if (content instanceof RefusedContent) throw notRecreatableError(path);
    if (replaced !== undefined) this.#replaced.push(oldPath);
    const index = this.#staged.length;
    const staged = childPath(beside, temporaryNameOf(this.id, `n${index}`));
    const old = content instanceof DiskContent ? content : undefined;
    // A written file keeps the access of the file it replaces; a moved, copied or restored file has its own. The commit checks that
    // the replaced file still has the stamp that the view saw, and so the same access.
    const keepsAccess = replaced?.content instanceof DiskContent && (old === undefined || old.path === path);
    const access = keepsAccess ? replaced.content.access : old?.access;
    this.#staged.push({
      path,
      staged,
      content,
      access,
      mode: old === undefined ? node.mode : undefined,
      modifiedAtMs: node.stamp === undefined ? undefined : node.modifiedAtMs,
    });
    const backup = childPath(parentOf(path), temporaryNameOf(this.id, `b${index}`));
    this.#places.push({
      op: 'place',
      path,
      staged,
      ...present({ backup: replaced === undefined ? undefined : backup }),
    });
  }
}

function below({ path, beside, oldPath }: Place, name: string): Place {
  return { path: childPath(path, name), beside, oldPath: childPath(oldPath, name) };
}

/**
 * The steps that bring the disk from `before`, its present content, to the result of the differences.
 * @throws {FilesystemError} `path-excluded` when an entry would have to be created that cannot be recreated, such as a device.
 */
export function planCommit(before: DirectoryNode, differences: readonly TreeDifference[]): CommitPlan {
  return new Planner(before).plan(differences);
}
