/** One entry that was not collected. What the file system has at that path and below stays. */
export interface CollectSkip {
  /** Path below the folder. */
  readonly path: string;
  /**
   * Why an entry of the folder was not collected.
   *
   * - `symlink`: a symbolic link that the process created or changed; links are not followed.
   * - `special-file`: a fifo, socket or device.
   * - `unreadable`: the operating system refuses to open or read it.
   * - `changed-while-reading`: written to, replaced or removed while it was read: a process is still running.
   * - `not-staged`: its path was left out when the folder was created, or is not visible in the file system.
   * - `git-directory`: it is in a Git directory of a folder that was opened without `allowGitWrites`, and the process has changed it.
   * - `name-not-allowed`: its name is not UTF-8, or breaks the path rules of a file system.
   */
  readonly reason:
    | 'symlink'
    | 'special-file'
    | 'unreadable'
    | 'changed-while-reading'
    | 'not-staged'
    | 'git-directory'
    | 'name-not-allowed';
}

/** Why an entry of the folder was not collected. */
export type CollectSkipReason = CollectSkip['reason'];

/** The result of one `collect`. Paths from the root, sorted; directories are listed like files. */
export interface StagedFolderReport {
  readonly created: readonly string[];
  /** Files with other content than before. */
  readonly modified: readonly string[];
  /**
   * Paths that were removed from the folder. A directory stays in the file system when it still contains something that was not
   * in the folder. A file that became a directory, or the other way round, is here and in `created`.
   */
  readonly removed: readonly string[];
  /**
   * Files whose permissions the process has set and the file system does not store: those with other permissions than
   * they were staged with, and new executable files. Their content is collected. At most 1,000.
   */
  readonly permissions: readonly string[];
  /** The entries that were not collected, sorted by path, at most 1,000. */
  readonly skipped: readonly { [Name in keyof CollectSkip]: CollectSkip[Name] }[];
  /** The number of all entries that were not collected, including those beyond the limit of `skipped`. */
  readonly skippedCount: number;
  /** True when nothing was skipped. */
  readonly complete: boolean;
}

/** The maximum number of entries that a report lists. */
const maxNamed = 1000;

/** Whether a path or one of its parents is in the set. */
export function isCovered(named: Pick<ReadonlySet<string>, 'has'>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (named.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Counts the entries of one scan of the folder, and records the skipped ones. */
export class CollectTally {
  readonly #skips = new Map<string, CollectSkipReason>();
  readonly #lostModes: string[] = [];
  #entries = 0;
  #isStopped = false;

  get entries(): number {
    return this.#entries;
  }

  /** True once there were more entries than allowed. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  countEntry(): void {
    this.#entries += 1;
  }

  stop(): void {
    this.#isStopped = true;
  }

  skip(path: string, reason: CollectSkipReason): void {
    this.#skips.set(path, reason);
  }

  recordLostMode(path: string): void {
    this.#lostModes.push(path);
  }

  /** Whether the state of a path is unknown, because it or one of its parents was skipped. */
  isUnknown(path: string): boolean {
    return isCovered(this.#skips, path);
  }

  report(applied: Pick<StagedFolderReport, 'created' | 'modified' | 'removed'>): StagedFolderReport {
    const skipped = [...this.#skips]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .slice(0, maxNamed)
      .map(([path, reason]) => ({ path, reason }));
    return Object.freeze({
      created: Object.freeze(applied.created.toSorted()),
      modified: Object.freeze(applied.modified.toSorted()),
      removed: Object.freeze(applied.removed.toSorted()),
      permissions: Object.freeze(this.#lostModes.toSorted().slice(0, maxNamed)),
      skipped: Object.freeze(skipped),
      skippedCount: this.#skips.size,
      complete: this.#skips.size === 0,
    });
  }
}
