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
   * old content is then in place and nothing staged is left; `argument-invalid` after either of the two was called.
   */
  land(): void;
  /** Removes what was staged. What cannot be removed now is removed by the next opening. Never throws; does nothing after `land`. */
  discard(): void;
}
