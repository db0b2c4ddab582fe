/**
 * Why something was left out of a mount.
 *
 * - `symlink`: a symbolic link, and links are not followed.
 * - `symlink-outside`: a link that leads out of the folder, or nowhere.
 * - `symlink-cycle`: a link to a directory that it stands in.
 * - `special-file`: a fifo, socket or device.
 * - `unreadable`: the operating system refuses to open or read it.
 * - `file-too-large`: larger than `maxFileBytes`.
 * - `mount-full`: does not fit into `maxBytes` any more.
 * - `changed-while-reading`: written to, replaced or removed while it was read.
 * - `name-not-allowed`: its name is no UTF-8, or breaks the path rules of a workspace.
 */
export type HostMountSkipReason =
  | 'symlink'
  | 'symlink-outside'
  | 'symlink-cycle'
  | 'special-file'
  | 'unreadable'
  | 'file-too-large'
  | 'mount-full'
  | 'changed-while-reading'
  | 'name-not-allowed';

/** One thing that was left out. */
export interface HostMountSkip {
  /** Path below the mounted folder. */
  readonly path: string;
  readonly reason: HostMountSkipReason;
}

/** Limit that ended the reading before the folder was looked at in full. */
export type HostMountStop = 'max-files' | 'max-entries';

/** What a mount took and what it left out. Entries that `exclude` or `include` rule out are not counted as skipped. */
export interface HostMountReport {
  /** Files taken. */
  readonly files: number;
  /** Bytes taken. */
  readonly bytes: number;
  /** What was left out, sorted by path, the first 1,000 of them. */
  readonly skipped: readonly HostMountSkip[];
  /** All that was left out, also what `skipped` has no room for. */
  readonly skippedCount: number;
  /** Entries left out by `exclude`; a directory counts once. */
  readonly excluded: number;
  /** True when the whole folder was looked at and nothing was skipped. */
  readonly complete: boolean;
  /** The limit that ended the reading early; absent when the whole folder was looked at. */
  readonly stoppedBy?: HostMountStop;
}

/** Entries that a report names one by one. */
const MAX_NAMED_SKIPS = 1000;

/** Collects what a mount takes and leaves out, while it is read. */
export class MountTally {
  readonly #skipped: HostMountSkip[] = [];
  #skippedCount = 0;
  #files = 0;
  #bytes = 0;
  #excluded = 0;
  #entries = 0;
  #stoppedBy: HostMountStop | undefined;

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

  /** Gives back what was reserved for a file that could not be read after all. */
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

  skip(path: string, reason: HostMountSkipReason): void {
    this.#skippedCount += 1;
    if (this.#skipped.length < MAX_NAMED_SKIPS) this.#skipped.push({ path, reason });
  }

  stop(by: HostMountStop): void {
    this.#stoppedBy ??= by;
  }

  report(): HostMountReport {
    const skipped = this.#skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return Object.freeze({
      files: this.#files,
      bytes: this.#bytes,
      skipped: Object.freeze(skipped),
      skippedCount: this.#skippedCount,
      excluded: this.#excluded,
      complete: this.#stoppedBy === undefined && this.#skippedCount === 0,
      ...(this.#stoppedBy === undefined ? {} : { stoppedBy: this.#stoppedBy }),
    });
  }
}
