import { assertIntegerOption, type TreeLimits } from '../../filesystem/index.ts';
import type { Clock } from '../../session/index.ts';

/** Which folder, and what may be done with it. */
export interface HostFilesystemOptions {
  /** The folder. Relative to the working directory of the process. Messages name it exactly as it is given here. */
  readonly root: string;
  /**
   * Where lock and journal are kept, in a folder named after the real path of the root. Every process that works on one
   * root must name the same, or none is kept out. Not within the root. Default: `weakincentives` in `$XDG_STATE_HOME`,
   * or in `~/.local/state`.
   */
  readonly stateDirectory?: string;
  /**
   * When changes come to the disk.
   *
   * - `apply`: with each `apply`, and with each method of the file system itself.
   * - `flush`: all together, with `flush()`. Until then they stay in memory.
   * - `never`: they stay in memory. The folder is read only, so no lock is taken, and what an interrupted commit has left is
   *   only reported.
   *
   * Default: `apply`.
   */
  readonly writeOn?: 'apply' | 'flush' | 'never';
  /** Globs (see `compileGlob`) on paths below the root; only files that match one are shown, and directories that can hold such. Default: all. */
  readonly include?: readonly string[];
  /**
   * Globs (see `compileGlob`) on paths below the root. What matches one, and what is in a directory that does, is left out: it is not listed and not
   * found, reading or writing it is refused (`path-excluded`), and so is removing or moving a directory that holds such a
   * thing. A pattern starts at the root: a leading double star with a slash makes it hold at every depth. Default: none.
   */
  readonly exclude?: readonly string[];
  /** The most bytes of one file that is read or written, at least 0. Moving, copying and removing is not bounded. Default: 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /**
   * The most bytes of all files of the folder together, at least 0. With this limit or the next one every fork that writes
   * looks at every file once. Default: unlimited.
   */
  readonly maxBytes?: number;
  /** The most files, at least 0; as many directories are allowed. Default: unlimited. */
  readonly maxFiles?: number;
  /**
   * Where the times of staged files come from; on the disk a written file has the time of the machine. With `yieldToTimers` a long search
   * lets timers in about every 20 milliseconds. Default: the system's.
   */
  readonly clock?: Pick<Clock, 'now' | 'yieldToTimers'>;
}

const DEFAULT_MAX_FILE_BYTES = 33_554_432;

/** @throws {FilesystemError} `argument-invalid`. */
export function limitsOf(options: HostFilesystemOptions): TreeLimits {
  assertIntegerOption('maxBytes', options.maxBytes, 0);
  assertIntegerOption('maxFileBytes', options.maxFileBytes, 0);
  assertIntegerOption('maxFiles', options.maxFiles, 0);
  const { maxBytes, maxFileBytes, maxFiles } = options;
  return {
    maxBytes: maxBytes ?? Number.POSITIVE_INFINITY,
    maxFileBytes: maxFileBytes ?? DEFAULT_MAX_FILE_BYTES,
    maxFiles: maxFiles ?? Number.POSITIVE_INFINITY,
    maxDirectories: maxFiles ?? Number.POSITIVE_INFINITY,
  };
}
