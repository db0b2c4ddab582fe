import type { FileChange, Filesystem } from '../../filesystem/index.ts';

/**
 * The files of one run of an agent. `openWorkspace()` of `weakincentives/node` opens a folder as one; a `Filesystem` alone is one, too.
 * @see docs/spec/evaluation.md §12
 */
export interface RunWorkspace {
  /** Name of the folder without the way to it, for params and adapter of the agent. Default: empty. */
  readonly name?: string;
  /** What the agent's `Filesystem` is. */
  readonly filesystem: Filesystem;
  /** What differs from the beginning of the run, sorted by path. May throw: the run rejects with it. Default: the run reports no changes. */
  changes?(): readonly FileChange[];
  /**
   * Writes what is held back, all or nothing. Called once, when the run has its answer and `conclude` found no failure. May throw or reject: the run
   * rejects with it. Default: nothing is written.
   *
   * @param meanwhile files that the run had changed and others have changed since, while it was interrupted, sorted by path: with one of them nothing is to be written, and it is a
   * conflict. Absent for a run that begins.
   */
  apply?(
    meanwhile?: readonly { readonly path: string; readonly kind: 'changed' | 'created' | 'removed' }[],
  ): Promise<WorkspaceApplication>;
}

/**
 * What became of the changes of a run.
 *
 * - `kept`: they are in memory; nothing was to be written.
 * - `applied`: they are on the disk.
 * - `conflict`: another process has changed `paths`, too; nothing was written.
 */
export type WorkspaceApplication =
  | { readonly kind: 'kept' }
  | { readonly kind: 'applied' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };
