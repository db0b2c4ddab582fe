import type { FileContent } from '../content/file-content.ts';
import type { TreeNode } from '../content/tree-node.ts';

/**
 * One path that differs between a fork and its base, or between two snapshots. Directories appear only when an empty one was created or removed.
 * `before` and `after` are the contents of files: `created` has only `after`, `removed` only `before`, `modified` both.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
  readonly entry: 'file' | 'directory';
  readonly before?: FileContent;
  readonly after?: FileContent;
  /**
   * The former path of a file whose content, or of a link that, `move` or `copy` took unchanged from another path. Absent for
   * written files, and between snapshots.
   */
  readonly from?: string;
  /**
   * The permission bits of a file of a host folder after the change, those of a removed one before it. A written file keeps those of
   * the file that it replaces, a moved or copied one its own. Absent when they are 0o644, as for a file that is new, and where there are none.
   */
  readonly mode?: number;
  /** The permission bits of the regular file in whose place another one, or a link, is now, where they are not those of `mode` (`modified`). */
  readonly replacedMode?: number;
  /**
   * The target, as it is written there, of an entry that is a symbolic link: of a link that was moved or copied, or removed. Characters that are not UTF-8 are
   * replaced. Its contents are those of the file that it leads to; a link to a directory has the entry `directory`.
   */
  readonly link?: string;
  /** The same of a symbolic link in whose place a file or another link is now (`modified`). */
  readonly replacedLink?: string;
  /** The outermost directory that was removed with this entry in it (`removed`). Absent when its directory is still there. */
  readonly removedWith?: string;
}

/**
 * One step of a patch. `put` places a file, or a directory that is merged into an existing one; `remove` removes a
 * file or a whole directory and does nothing when the path does not exist.
 */
export type FileOperation =
  | { readonly op: 'put'; readonly path: string; readonly node: TreeNode }
  | { readonly op: 'remove'; readonly path: string };

/** The net changes of a fork, in the order in which to apply them. */
export interface FilePatch {
  readonly changes: readonly FileOperation[];
  /** What a call of an earlier run has left, which is put there whatever is there: a fork that gets it reads what is at these paths. Default: it depends on all files. @internal */
  readonly '~isRecorded'?: true;
}
