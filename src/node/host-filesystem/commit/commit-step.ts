import type { FileContent, TreeNode } from '../../../filesystem/index.ts';
import type { FileAccess } from '../../disk/stamp.ts';

/**
 * One step of a commit. All paths are relative to the root.
 *
 * - `take`: what stands at `path` goes to `trash` beside it.
 * - `mkdir`: a directory is made.
 * - `give`: what another step has taken to `from` comes to `path`.
 * - `place`: the new content at `staged` becomes the file at `path`; what it replaces is kept as `backup`.
 * - `link`: a symbolic link is made.
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
      /** How the text is written here when it is no UTF-8. */
      readonly encoding?: 'base64';
    };

/** New content of a file, to be written beside its place before the first step. */
export interface StagedContent {
  readonly path: string;
  readonly staged: string;
  readonly content: FileContent;
  /** Permissions and owner, of the file that is replaced, moved or copied; undefined for those of a new file. */
  readonly access: FileAccess | undefined;
  /** Milliseconds since the Unix epoch, for a file that was moved or copied; undefined for one that was written. */
  readonly modifiedAtMs: number | undefined;
}

/** What stands at a path that a step takes away or replaces. */
export interface ExpectedFile {
  readonly path: string;
  readonly stamp: string;
}

/** What a step takes away and no other step gives to another place. */
export interface RemovedNode {
  readonly path: string;
  readonly trash: string;
  /** What was seen of it. */
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
