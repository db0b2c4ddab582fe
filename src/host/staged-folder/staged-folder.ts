import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { type Filesystem, normalizePath } from '../../core/filesystem/index.ts';
import { quoteText } from '../../core/internal/index.ts';
import { type HostDirectory, openDirectory } from '../disk/host-directory.ts';
import { identityOf } from '../disk/stamp.ts';
import { causedBy, errorCode } from '../disk/system-error.ts';
import type { FolderFilter } from '../folder-copy/folder-filter.ts';
import type {
  StagedCommandArguments,
  StagedCommandOptions,
  StagedCommandOutcome,
} from '../process/run-options.ts';
import { type RunningProcess, runProcess } from '../process/run-process.ts';
import { closeStandardStreams, openStandardStreams } from '../process/standard-streams.ts';
import { applyScan, rebase } from './collect/apply-scan.ts';
import type { StagedFolderReport } from './collect/collect-report.ts';
import { scanFolder } from './collect/scan-folder.ts';
import type { StagedPlace } from './overlay/staged-place.ts';
import type { Baseline } from './staging/baseline.ts';
import type { StagingLimits } from './staging/options.ts';
import { removeFolder } from './staging/private-folder.ts';
import { goneError, stagingError } from './staging/staging-error.ts';

/** A private folder on the disk with the content of a file system, for processes that work on real files. */
export interface StagedFolder extends AsyncDisposable {
  /**
   * `overlay`: the folder of a `HostFilesystem`, with a layer that receives every change; nothing was copied.
   * `copy`: a separate folder. `run` and `spawnArguments` work the same for both.
   */
  readonly kind: 'overlay' | 'copy';
  /**
   * An absolute path under which this process reads and writes the files. Not for a model: name files relative to it; and
   * not for other processes, which may find them elsewhere: give them paths relative to the folder, which they start in.
   */
  readonly path: string;
  /** Files in it. */
  readonly files: number;
  /** Bytes of these files. */
  readonly bytes: number;
  /**
   * What the file system has and the folder lacks: fifos, sockets and devices, links that lead out of the folder or
   * nowhere, and files that must not be read. Paths from the root, sorted; empty for a file system in memory. Nothing is collected
   * from there.
   */
  readonly leftOut: readonly string[];
  /**
   * Runs a command in the folder and waits until it exits. It gets its own environment and is the leader of a process
   * group; the whole group is killed when the command ends, when `signal` aborts, after `timeoutMs`, and when the folder
   * is disposed. No shell is involved. A command that fails, or does not exist, is an outcome.
   * @throws {FilesystemError} `path-not-found` when the folder was disposed or `cwd` does not exist; `path-outside-root` for a
   * `cwd` that leaves the folder; `argument-invalid` for another option.
   * @throws the reason of `signal`, or of the signal that `openStagedFolder` was given.
   */
  run(
    command: string,
    args?: readonly string[],
    options?: StagedCommandOptions,
  ): Promise<StagedCommandOutcome>;
  /**
   * The command line to start a command in the folder with, for callers that call `spawn` themselves. They must end
   * such a process themselves. Its environment must have a `PATH`.
   */
  spawnArguments(command: string, args?: readonly string[]): StagedCommandArguments;
  /**
   * Applies the changes in the folder to the file system that it was created from, through its public
   * operations: all of them, or none when it rejects. Call it when the process has ended; it may be called again
   * after another process, and then applies what has changed since.
   *
   * - Contents, new directories and removals are applied; times are not. Permissions that a process sets are listed in
   *   `permissions`: no file system here stores them.
   * - Links are not followed; fifos, sockets and devices are not opened. These and unreadable files are reported; what the
   *   file system has at such a path, and below it, stays.
   * - In an overlay only touched entries are scanned, in a copy all entries.
   *
   * @throws {FilesystemError} `file-changed-on-disk` for a file that was changed on both sides; `file-too-large`,
   * `filesystem-quota-exceeded` when a limit of the folder or of the file system is exceeded; `filesystem-read-only`; `path-not-found` when the
   * folder was disposed, removed or replaced.
   * @throws {TransactionClosedError} when the call that the file system belongs to has ended.
   * @throws the signal's reason.
   */
  collect(): Promise<StagedFolderReport>;
  /**
   * Kills the running commands of `run` and, in an overlay, every process that was started in it; then, when a
   * running `collect` has finished, removes the folder with its content. Disposing twice does nothing.
   * @throws {FilesystemError} `filesystem-storage-failed` when the operating system refuses to remove it.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of a staged folder. */
export interface StagedFolderParts {
  readonly filesystem: Filesystem;
  /** The private folder that contains all of it. */
  readonly folder: string;
  readonly place: StagedPlace;
  /** Device and inode of the staged folder. */
  readonly identity: string;
  readonly baseline: Baseline;
  readonly filter: Pick<FolderFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
  /** Whether the file system can have something of a kind at a path. */
  readonly isShown: (path: string, kind: 'file' | 'directory') => boolean;
  /** Whether changes at a path are collected; those of protected Git directories are not. */
  readonly isCollected: (path: string) => boolean;
}

/** A folder that was made by `openStagedFolder`. */
export class DiskStagedFolder implements StagedFolder {
  readonly kind: 'overlay' | 'copy';
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: readonly string[];
  readonly #parts: StagedFolderParts;
  readonly #running = new Set<RunningProcess>();
  /** Settles when the last requested collection has finished. */
  #lastCollection: Promise<unknown> = Promise.resolve();
  #removal: Promise<void> | undefined;

  constructor(parts: StagedFolderParts) {
    this.#parts = parts;
    this.kind = parts.place.kind;
    this.path = parts.place.path;
    const files = [...parts.baseline.values()].filter((staged) => staged.kind === 'file');
    this.files = files.length;
    this.bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const leftOut = [...parts.baseline].flatMap(([path, { kind }]) => (kind === 'left-out' ? [path] : []));
    this.leftOut = Object.freeze(leftOut.sort());
  }

  async run(
    command: string,
    args: readonly string[] = [],
    options: StagedCommandOptions = {},
  ): Promise<StagedCommandOutcome> {
    const { place, signal } = this.#parts;
    const cwd = normalizePath(options.cwd ?? '.');
    this.#assertUsable();
    signal?.throwIfAborted();
    await assertDirectory(place.path, this.#parts.identity, cwd);
    this.#assertUsable();
    const streams = await openStandardStreams(place.temporary, options.input);
    let running: RunningProcess;
    try {
      this.#assertUsable();
      const env = { TMPDIR: place.temporary, ...options.env };
      running = runProcess(place.commandLine(command, args, cwd), { ...options, env }, streams);
    } catch (error) {
      if (streams !== undefined) closeStandardStreams(streams);
      throw error;
    }
    this.#running.add(running);
    const onAbort = (): void => running.stop(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      return hidingPaths(await running.ended, place.innerPaths);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#running.delete(running);
    }
  }

  spawnArguments(command: string, args: readonly string[] = []): StagedCommandArguments {
    this.#assertUsable();
    return this.#parts.place.commandLine(command, args, '.');
  }

  /** A private folder outside of the staged one, which is removed with it. */
  get temporary(): string {
    return this.#parts.place.temporary;
  }

  async collect(): Promise<StagedFolderReport> {
    this.#assertUsable();
    const collection = this.#lastCollection.then(() => this.#collect());
    this.#lastCollection = collection.catch(() => undefined);
    return collection;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async #remove(): Promise<void> {
    const { place, folder } = this.#parts;
    const running = [...this.#running];
    for (const command of running) command.stop(goneError('was disposed'));
    await Promise.allSettled(running.map(({ ended }) => ended));
    await this.#lastCollection;
    await place[Symbol.asyncDispose]();
    try {
      await removeFolder(folder);
    } catch (error) {
      throw new FilesystemError(
        'filesystem-storage-failed',
        `The staged folder cannot be removed (${errorCode(error) ?? 'unknown error'}). End the processes that work in it, then remove it by hand.`,
        causedBy(error),
      );
    }
  }

  async #collect(): Promise<StagedFolderReport> {
    const { filesystem, baseline, place, isCollected } = this.#parts;
    const folder = await this.#open();
    try {
      const scan = await scanFolder({ ...this.#parts, upper: place.upper }, folder);
      const applied = await applyScan(filesystem, baseline, scan, isCollected);
      rebase(baseline, scan);
      return scan.tally.report(applied);
    } catch (error) {
      throw stagingError('collected', error, this.#parts.signal);
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

  #assertUsable(): void {
    if (this.#removal !== undefined) throw goneError('was disposed');
  }
}

/** A private folder outside of a staged one, which is removed with it. */
export function temporaryFolderOf(staged: StagedFolder): string | undefined {
  return staged instanceof DiskStagedFolder ? staged.temporary : undefined;
}

async function assertDirectory(path: string, identity: string, cwd: string): Promise<void> {
  const root = await stat(path, { bigint: true }).catch(() => undefined);
  if (root === undefined) throw goneError('was removed, or cannot be opened any more');
  if (identityOf(root) !== identity) throw goneError('was replaced by another one');
  const found = await stat(join(path, cwd)).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new FilesystemError(
    'path-not-found',
    `The folder ${quoteText(cwd)}, in which to run a command, does not exist.`,
    {
      details: { path: cwd },
    },
  );
}

/** Removes the path of the folder from output: it is useless to a model and differs each time. */
function hidingPaths(outcome: StagedCommandOutcome, paths: readonly string[]): StagedCommandOutcome {
  const hide = (text: string): string => paths.reduce(withoutPath, text);
  return {
    ...outcome,
    stdout: hide(outcome.stdout),
    stderr: hide(outcome.stderr),
    output: hide(outcome.output),
  };
}

/** A longer name that starts with the path is a different path. */
function withoutPath(text: string, path: string): string {
  const [first = '', ...rest] = text.split(path);
  return rest.reduce((shown, part) => `${shown}${/^[\w-]/.test(part) ? path : '.'}${part}`, first);
}
