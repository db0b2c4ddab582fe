/**
 * Why something in the folder was not collected.
 *
 * - `symlink`: a symbolic link that the process made or changed; links are not followed.
 * - `special-file`: a fifo, socket or device.
 * - `unreadable`: the operating system refuses to open or read it.
 * - `changed-while-reading`: written to, replaced or removed while it was read: a process is still at work.
 * - `not-staged`: it stands where something was left out when the folder was made, or where the file system shows nothing.
 * - `name-not-allowed`: its name is no UTF-8, or breaks the path rules of a file system.
 */
export type CollectSkipReason =
  | 'symlink'
  | 'special-file'
  | 'unreadable'
  | 'changed-while-reading'
  | 'not-staged'
  | 'name-not-allowed';

/** One thing that was not collected. Where the file system has something at that path or below, it keeps it. */
export interface CollectSkip {
  /** Path below the folder. */
  readonly path: string;
  readonly reason: CollectSkipReason;
}

/** What one `collect` took back. Paths from the root, sorted; directories are named like files. */
export interface CollectReport {
  readonly created: readonly string[];
  /** Files with other content than before. */
  readonly modified: readonly string[];
  /**
   * What is gone from the folder. A directory stays in the file system when there it still holds something that was not
   * in the folder. A file that became a directory, or the other way round, is here and in `created`.
   */
  readonly removed: readonly string[];
  /**
   * Files whose permissions the process has set, where the file system keeps its own: those with other permissions than
   * they were staged with, and new files that may be executed. Their content is collected. The first 1,000.
   */
  readonly permissions: readonly string[];
  /** What was not collected, sorted by path, the first 1,000 of them. */
  readonly skipped: readonly CollectSkip[];
  /** All that was not collected, also what `skipped` has no room for. */
  readonly skippedCount: number;
  /** True when nothing was skipped. */
  readonly complete: boolean;
}

/** Entries that a report names one by one. */
const MAX_NAMED = 1000;

/** Whether a path, or a directory on the way to it, is among those named. */
export function isCovered(named: Pick<ReadonlySet<string>, 'has'>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (named.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Counts what one look through the folder finds, and keeps what it has to leave out. */
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

  /** Whether nothing can be said about a path, because it, or a directory on the way to it, was left out. */
  isUnknown(path: string): boolean {
    return isCovered(this.#skips, path);
  }

  report(applied: Pick<CollectReport, 'created' | 'modified' | 'removed'>): CollectReport {
    const skipped = [...this.#skips]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .slice(0, MAX_NAMED)
      .map(([path, reason]) => ({ path, reason }));
    return Object.freeze({
      created: Object.freeze(applied.created.toSorted()),
      modified: Object.freeze(applied.modified.toSorted()),
      removed: Object.freeze(applied.removed.toSorted()),
      permissions: Object.freeze(this.#lostModes.toSorted().slice(0, MAX_NAMED)),
      skipped: Object.freeze(skipped),
      skippedCount: this.#skips.size,
      complete: this.#skips.size === 0,
    });
  }
}
