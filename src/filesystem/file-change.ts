import type { FileContent } from './file-content.ts';

/**
 * One path that a fork or a pair of snapshots differ in. Directories appear only when an empty one was made or removed.
 * `before` and `after` are the contents of files: `created` has only `after`, `removed` only `before`, `modified` both.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
  readonly entry: 'file' | 'directory';
  readonly before?: FileContent;
  readonly after?: FileContent;
  /**
   * Where the content stood before, for a file whose content `move` or `copy` took from another path as it was. Absent for
   * what was written, and between snapshots.
   */
  readonly from?: string;
}
