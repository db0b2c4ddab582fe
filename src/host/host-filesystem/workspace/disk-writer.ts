import { accessSync, constants } from 'node:fs';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  childPath,
  type DirectoryNode,
  nodeAt,
  type StagedChanges,
  type StageOptions,
  segmentsOf,
  type TreeDifference,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { attempt, quoteText } from '../../../core/internal/index.ts';
import { mountsBelow } from '../../disk/mounts.ts';
import { stampOf } from '../../disk/stamp.ts';
import { type CommitTarget, stageCommit } from '../commit/commit.ts';
import type { CommitPlan } from '../commit/commit-step.ts';
import { planCommit } from '../commit/plan-commit.ts';
import { assertRestorable } from '../commit/restorable.ts';
import { assertNotProtected } from '../commit/run-step.ts';
import { isRegularFile } from '../commit/taken-nodes.ts';
import { changedOnDiskError, diskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import { KeptContents } from '../tree/kept-contents.ts';
import { OwnWrites } from './workspace-changes.ts';

/** How changes are written. */
export interface WriteOptions extends StageOptions {
  /** Whether only files that this process has written may be removed. Default: false. */
  readonly isRestored?: boolean;
}

/** Writes changes to the disk, and records which changes were made by this process. */
export class DiskWriter {
  readonly #place: CommitTarget;
  readonly ownWrites: OwnWrites = new OwnWrites();
  /** Old contents that forks or snapshots still use. */
  readonly kept: KeptContents;

  constructor(place: CommitTarget) {
    this.#place = place;
    this.kept = new KeptContents(place.journalDirectory);
  }

  /**
   * Prepares to bring the disk from `before`, its present content, to the result of the differences: all of it, or nothing.
   * @param keepOld called when the set of changes is final, and again before the first one: others may have begun to use the old content.
   * @throws {FilesystemError} `file-changed-on-disk`, `path-forbidden`, `filesystem-storage-failed`.
   */
  stage(
    before: DirectoryNode,
    differences: readonly TreeDifference[],
    { isRestored = false, pending }: WriteOptions,
    keepOld: () => void,
  ): StagedChanges {
    const plan = planCommit(before, differences);
    for (const { path, node, isTaken } of plan.removed) {
      assertRestorable(path, node, isTaken);
      if (node.kind === 'directory') assertWithoutMounts(this.#place.jail, path);
      if (isRestored) this.#assertOwn(path, node, isTaken);
    }
    const moved = movedFiles(before, plan);
    keepOld();
    const staged = stageCommit(this.#place, plan, pending);
    return {
      land: () => {
        try {
          for (const { path, node } of plan.removed)
            if (node.kind === 'directory') assertWithoutMounts(this.#place.jail, path);
          keepOld();
        } catch (error) {
          // It may be decided: the next opening has to say so.
          staged.discard({ isUndecided: true });
          throw error;
        }
        staged.land();
        this.#recordWrites(plan, differences, moved);
      },
      discard: (options) => staged.discard(options),
    };
  }

  dispose(): void {
    this.kept.dispose();
  }

  #recordWrites(
    plan: CommitPlan,
    differences: readonly TreeDifference[],
    moved: ReturnType<typeof movedFiles>,
  ): void {
    for (const { path, before: old } of differences)
      if (old !== undefined) this.ownWrites.record(path, undefined);
    for (const [path, stamp] of moved) this.ownWrites.record(path, stamp);
    const { jail } = this.#place;
    // What is not recorded counts as a change of another process.
    attempt(() =>
      jail.keepingOpen(() => {
        for (const step of plan.steps) {
          if (step.op === 'take') continue;
          const stats = jail.statOf(segmentsOf(step.path));
          if (stats?.isFile()) this.ownWrites.record(step.path, stampOf(stats));
        }
      }),
    );
  }

  #assertOwn(path: string, node: TreeNode, isElsewhere: (path: string) => boolean): void {
    if (isRegularFile(node) && !this.ownWrites.matches(path, node)) throw changedOnDiskError(path);
    if (node.kind === 'file') return;
    for (const [name, child] of node.entries) {
      const at = childPath(path, name);
      if (!isElsewhere(at)) this.#assertOwn(at, child, isElsewhere);
    }
  }
}

/** The files in moved directories, by their new paths, with their stamps: this process moves them there. */
function movedFiles(before: DirectoryNode, { steps }: CommitPlan): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const walk = (path: string, node: TreeNode | undefined): void => {
    if (node?.kind === 'directory')
      for (const [name, child] of node.entries) walk(childPath(path, name), child);
    else if (isRegularFile(node) && node.stamp !== undefined) found.push([path, node.stamp]);
  };
  for (const step of steps) {
    if (step.op !== 'give') continue;
    const taken = steps.find((other) => other.op === 'take' && other.trash === step.from);
    if (taken !== undefined) walk(step.path, nodeAt(before, taken.path));
  }
  return found;
}

/** Refuses to remove a directory that contains a mount point: its content belongs elsewhere. @throws {FilesystemError} `path-excluded`. */
function assertWithoutMounts(jail: HostJail, path: string): void {
  const [mount] = mountsBelow(jail.realPath).filter((at) => at === path || at.startsWith(`${path}/`));
  if (mount === undefined) return;
  throw new FilesystemError(
    'path-excluded',
    `A file system is mounted at ${quoteText(mount)}, so ${quoteText(path)} is not removed. Remove its other entries one by one.`,
    { details: { path, directory: mount } },
  );
}

/**
 * Checks, when changes are made, what the disk would refuse when they are written later.
 * @throws {FilesystemError} `path-forbidden` for a write-protected file or directory, `filesystem-storage-failed` for a read-only disk.
 */
export function assertWritableOnDisk(jail: HostJail, differences: readonly TreeDifference[]): void {
  for (const { path, before, after } of differences) {
    const segments = segmentsOf(path);
    const isReplaced = before?.kind === 'file' && after?.kind === 'file';
    try {
      if (isReplaced && jail.statOf(segments)?.isFile() === true) {
        assertNotProtected(jail, path);
        assertWritable(jail, segments);
      }
      assertWritable(jail, nearestDirectory(jail, segments.slice(0, -1)));
    } catch (error) {
      throw diskError(path, error);
    }
  }
}

/** The directory, or its nearest ancestor on the disk. */
function nearestDirectory(jail: HostJail, segments: Segments): Segments {
  for (let length = segments.length; length > 0; length -= 1) {
    const nearest = segments.slice(0, length);
    if (jail.statOf(nearest)?.isDirectory() === true) return nearest;
  }
  return [];
}

function assertWritable(jail: HostJail, segments: Segments): void {
  jail.within(segments.slice(0, -1), (pathOf) => accessSync(pathOf(segments.at(-1)), constants.W_OK));
}
