import type { FileContent, TreeNode } from '../../../core/filesystem/index.ts';
import type { FileAccess } from '../../disk/stamp.ts';

/**
 * One step of a commit. All paths are relative to the root.
 *
 * - `take`: moves the entry at `path` to `trash`, in the same or an enclosing directory.
 * - `mkdir`: creates a directory.
 * - `give`: moves what another step has taken to `from` to `path`.
 * - `place`: the new content at `staged` becomes the file at `path`; the file it replaces is kept as `backup`.
 * - `link`: creates a symbolic link.
 */
export type CommitStep =
  | { readonly op: 'take'; readonly path: string; readonly trash: string }
  | { readonly op: 'mkdir'; readonly path: string; readonly mode?: number }
  | { readonly op: 'give'; readonly path: string; readonly from: string }
  | { readonly op: 'place'; readonly path: string; readonly staged: string; readonly backup?: string }
  | {
      readonly op: 'link';
      readonly path: string;
      readonly target: string;
      /** Set when the target is not UTF-8 and is encoded here. */
      readonly encoding?: 'base64';
    };

/** The paths that steps change, sorted. */
export function changedPaths(steps: readonly CommitStep[]): readonly string[] {
  return [...new Set(steps.map((step) => step.path))].sort();
}

/** New content of a file, written next to its target before the first step. */
export interface StagedContent {
  readonly path: string;
  readonly staged: string;
  readonly content: FileContent;
  /** Permissions and owner of the file that is replaced, moved or copied; undefined for a new file. */
  readonly access: FileAccess | undefined;
  /** Permissions in the place of those of `access`. Undefined: those, or those of a new file. */
  readonly mode: number | undefined;
  /** Milliseconds since the Unix epoch, for a file that was moved or copied; undefined for one that was written. */
  readonly modifiedAtMs: number | undefined;
}

/** The file that a step expects to remove or replace. */
export interface ExpectedFile {
  readonly path: string;
  readonly stamp: string;
}

/** An entry that a step takes and that no other step moves elsewhere: it is removed for good. */
export interface RemovedNode {
  readonly path: string;
  readonly trash: string;
  /** The node as the view saw it. */
  readonly node: TreeNode;
  /** Whether a path below it is taken by a step of its own. */
  readonly isTaken: (path: string) => boolean;
}

/** Everything that one commit does to the disk. */
export interface CommitPlan {
  /** A UUID. */
  readonly id: string;
  readonly steps: readonly CommitStep[];
  readonly staged: readonly StagedContent[];
  readonly expected: readonly ExpectedFile[];
  /** The files that get another content, where they are before the commit. */
  readonly replaced: readonly string[];
  readonly removed: readonly RemovedNode[];
}

/** Called before each operation of a commit or rollback on the disk; for tests, which kill the process there. */
export type OnFailpoint = ((failpoint: string) => void) | undefined;
