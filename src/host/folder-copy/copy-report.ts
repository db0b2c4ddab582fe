import { present } from '../../core/internal/index.ts';

/** One skipped entry. */
export interface FolderSkip {
  /** Path below the mounted folder. */
  readonly path: string;
  /**
   * Why an entry was skipped by a mount.
   *
   * - `symlink`: a symbolic link, and links are not followed.
   * - `symlink-outside`: a link that leads out of the folder, or nowhere.
   * - `symlink-cycle`: a link to a directory that contains it.
   * - `special-file`: a fifo, socket or device.
   * - `unreadable`: the operating system refuses to open or read it.
   * - `file-too-large`: larger than `maxFileBytes`.
   * - `mount-full`: does not fit into the rest of `maxBytes`.
   * - `changed-while-reading`: written to, replaced or removed while it was read.
   * - `name-not-allowed`: its name is not UTF-8, or breaks the path rules of a workspace.
   */
  readonly reason:
    | 'symlink'
    | 'symlink-outside'
    | 'symlink-cycle'
    | 'special-file'
    | 'unreadable'
    | 'file-too-large'
    | 'mount-full'
    | 'changed-while-reading'
    | 'name-not-allowed';
}

/** Why an entry was skipped by a mount. */
export type FolderSkipReason = FolderSkip['reason'];

/** What a mount took and what it skipped. Entries that `exclude` or `include` filter out do not count as skipped. */
export interface FolderCopyReport {
  /** Files taken. */
  readonly files: number;
  /** Bytes taken. */
  readonly bytes: number;
  /** The skipped entries, sorted by path, at most 1,000. */
  readonly skipped: readonly { [Name in keyof FolderSkip]: FolderSkip[Name] }[];
  /** The number of all skipped entries, including those beyond the limit of `skipped`. */
  readonly skippedCount: number;
  /** Entries excluded by `exclude`; a directory counts once. */
  readonly excluded: number;
  /** True when the whole folder was read and nothing was skipped. */
  readonly complete: boolean;
  /** The limit that ended the reading early; absent when the whole folder was read. */
  readonly stoppedBy?: 'max-files' | 'max-entries';
}

/** The limit that ended the reading before the whole folder was read. */
export type FolderCopyStop = NonNullable<FolderCopyReport['stoppedBy']>;

/** The maximum number of entries that a report lists. */
const maxNamedSkips = 1000;

/** Counts what a mount takes and skips while it is read. */
export class CopyTally {
  readonly #skipped: FolderSkip[] = [];
  #skippedCount = 0;
  #files = 0;
  #bytes = 0;
  #excluded = 0;
  #entries = 0;
  #stoppedBy: FolderCopyStop | undefined;

  get files(): number {
    return this.#files;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#entries;
  }

  /** True once a limit has ended the reading. */
  get isStopped(): boolean {
    return this.#stoppedBy !== undefined;
  }

  reserve(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
  }

  /** Reverses `reserve` for a file that could not be read. */
  unreserve(bytes: number): void {
    this.#files -= 1;
    this.#bytes -= bytes;
  }

  countEntry(): void {
    this.#entries += 1;
  }

  exclude(): void {
    this.#excluded += 1;
  }

  skip(path: string, reason: FolderSkipReason): void {
    this.#skippedCount += 1;
    if (this.#skipped.length < maxNamedSkips) this.#skipped.push({ path, reason });
  }

  stop(by: FolderCopyStop): void {
    this.#stoppedBy ??= by;
  }

  report(): FolderCopyReport {
    const skipped = this.#skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return Object.freeze({
      files: this.#files,
      bytes: this.#bytes,
      skipped: Object.freeze(skipped),
      skippedCount: this.#skippedCount,
      excluded: this.#excluded,
      complete: this.#stoppedBy === undefined && this.#skippedCount === 0,
      ...present({ stoppedBy: this.#stoppedBy }),
    });
  }
}
