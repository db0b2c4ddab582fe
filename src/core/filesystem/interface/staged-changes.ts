/**
 * The commit of a run that staged changes are: after a crash, the folder says that it may be decided.
 * @internal
 */
export interface PendingMark {
  readonly runId: string;
  /** Number of the commit within the run. */
  readonly commit: number;
}

/**
 * How changes are staged.
 * @internal
 */
export interface StageOptions {
  /** The commit that someone else decides, so that it may be decided when it is undone. Default: the caller does. */
  readonly pending?: PendingMark | undefined;
}

/**
 * Changes that are checked and written next to their places, so that what is left to do is short: the caller decides, then calls
 * one of the two, once. Until then every view shows the old content, and other writes are refused (`filesystem-busy`).
 *
 * @see docs/spec/filesystem.md §6
 * @internal
 */
export interface StagedChanges {
  /**
   * Brings the changes to their places, all or none. What they replace is compared once more with what was seen. Synchronous.
   * @throws {FilesystemError} `file-changed-on-disk`, `root-replaced`, `path-forbidden`, `path-excluded`, `filesystem-storage-failed`: the
   * old content is then in place, nothing staged is left, and the folder keeps the mark of the commit; `argument-invalid` after either of the two was called.
   */
  land(): void;
  /**
   * Removes what was staged. What cannot be removed now is removed by the next opening. Never throws; does nothing after `land`.
   * @param options with `isUndecided`, the folder keeps the mark of the commit: it may have been decided. Default: it was not.
   */
  discard(options?: { readonly isUndecided?: boolean }): void;
}
