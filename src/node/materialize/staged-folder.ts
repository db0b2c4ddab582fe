import { FilesystemError } from '../../error/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import { type HostDirectory, openDirectory } from '../host-mount/host-directory.ts';
import { errorCode } from '../host-mount/host-error.ts';
import type { MountFilter } from '../host-mount/mount-filter.ts';
import { applyScan, rebase } from './apply-scan.ts';
import type { Baseline } from './baseline.ts';
import type { CollectReport } from './collect-report.ts';
import type { StagingLimits } from './options.ts';
import { removeFolder } from './remove-folder.ts';
import { scanFolder } from './scan-folder.ts';
import { goneError } from './staging-error.ts';

/** A private folder on the disk with the content of a file system, for a process that works on real files. */
export interface StagedFolder extends AsyncDisposable {
  /** The real, absolute path of the folder. Not for a model: name files relative to it. */
  readonly path: string;
  /** Files written to it. */
  readonly files: number;
  /** Bytes written to it. */
  readonly bytes: number;
  /**
   * What the file system has and the folder does not: links, and what may not be read. Paths from the root, sorted; empty
   * for a file system in memory. Nothing is collected from there.
   */
  readonly leftOut: readonly string[];
  /**
   * Takes what was changed in the folder back into the file system that it was made from, through its public
   * operations: all of it, or nothing when it rejects. Call it when the process has ended; it may be called again
   * after another one, and then takes what has changed since.
   *
   * - Content counts, nothing else: not permissions, not times.
   * - Links are not followed, fifos, sockets and devices not opened. They and what cannot be read are reported; what the
   *   file system has at such a path, and below it, stays.
   *
   * @throws {FilesystemError} `changed-on-disk` for a file that was changed on both sides; `too-large`,
   * `quota-exceeded` when a limit of the folder or of the file system is passed; `read-only`; `not-found` when the
   * folder was disposed, removed or replaced.
   * @throws {TransactionClosedError} when the call that the file system belongs to has ended.
   * @throws the signal's reason.
   */
  collect(): Promise<CollectReport>;
  /**
   * Removes the folder with all that is in it, once a `collect` at work has ended. Doing it twice is fine.
   * @throws {FilesystemError} `storage-failed` when the operating system will not remove it.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a staged folder is made of. */
export interface StagedFolderParts {
  readonly filesystem: Filesystem;
  readonly path: string;
  /** Device and inode of the folder. */
  readonly identity: string;
  readonly baseline: Baseline;
  readonly bytes: number;
  readonly filter: Pick<MountFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
}

/** A folder that was written by `materialize`. */
export class MaterializedFolder implements StagedFolder {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: readonly string[];
  readonly #parts: StagedFolderParts;
  /** The end of the last collection that was asked for. */
  #lastCollection: Promise<unknown> = Promise.resolve();
  #removal: Promise<void> | undefined;

  constructor(parts: StagedFolderParts) {
    this.#parts = parts;
    this.path = parts.path;
    this.bytes = parts.bytes;
    const staged = [...parts.baseline];
    this.files = staged.filter(([, found]) => typeof found === 'object').length;
    this.leftOut = Object.freeze(
      staged.flatMap(([path, found]) => (found === 'left-out' ? [path] : [])).sort(),
    );
  }

  async collect(): Promise<CollectReport> {
    if (this.#removal !== undefined) throw goneError('was disposed');
    const collection = this.#lastCollection.then(() => this.#collect());
    this.#lastCollection = collection.catch(() => undefined);
    return collection;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#removal ??= this.#lastCollection.then(() => remove(this.path));
    return this.#removal;
  }

  async #collect(): Promise<CollectReport> {
    const { filesystem, baseline } = this.#parts;
    const folder = await this.#open();
    try {
      const scan = await scanFolder(this.#parts, folder);
      const applied = await applyScan(filesystem, baseline, scan);
      rebase(baseline, scan);
      return scan.tally.report(applied);
    } finally {
      await folder.close();
    }
  }

  async #open(): Promise<HostDirectory> {
    let folder: HostDirectory;
    try {
      folder = await openDirectory(this.path, false);
    } catch {
      throw goneError('was removed, or cannot be opened any more');
    }
    if (folder.identity === this.#parts.identity) return folder;
    await folder.close();
    throw goneError('was replaced by another one');
  }
}

async function remove(path: string): Promise<void> {
  try {
    await removeFolder(path);
  } catch (error) {
    const code = errorCode(error);
    throw new FilesystemError(
      'storage-failed',
      `The staged folder cannot be removed (${code ?? 'unknown error'}). End the processes that work in it, then remove it by hand.`,
      code === undefined ? {} : { details: { systemCode: code } },
    );
  }
}
