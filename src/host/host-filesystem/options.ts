import { integer, type LimitsOf, withDefaults } from '../../core/error/index.ts';
import type { TreeLimits } from '../../core/filesystem/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';

/** The folder of a host file system, how it is written, and its limits. */
export interface HostFilesystemOptions {
  /** The folder. Relative to the working directory of the process. Messages name it exactly as it is given here. */
  readonly root: string;
  /**
   * The directory of the lock and the journal, in a folder named after the real path of the root. Every process that uses one
   * root must name the same directory, or the lock has no effect. Not within the root. Default: `weakincentives` in `$XDG_STATE_HOME`,
   * or in `~/.local/state`.
   */
  readonly stateDirectory?: string;
  /**
   * The journal of the runs that write to the folder. Its lease of the folder is acquired in addition to the lock, and released when the folder is
   * closed: a process that hangs, or whose machine is gone, keeps the folder no longer than the lease lasts. A lock that was taken with a lease on another machine
   * is then taken over. When the lease is lost, every later write is refused (`filesystem-locked`). Every process that uses one root must use the same
   * journal. With `writeOn: 'never'` nothing is acquired. Default: the lock alone, which a process of another machine keeps until it is removed by hand.
   */
  readonly journal?: RunJournal;
  /**
   * When changes are written to the disk.
   *
   * - `apply`: with each `apply`, and with each method of the file system itself.
   * - `flush`: all together, by `flush()`. Until then they stay in memory.
   * - `never`: they stay in memory. The folder is only read, so no lock is acquired, and interrupted commits are
   *   only reported.
   *
   * Default: `apply`.
   */
  readonly writeOn?: 'apply' | 'flush' | 'never';
  /** Globs (see `compileGlob`) on paths below the root; only files that match one are visible, and directories that can contain such files. Default: all. */
  readonly include?: readonly string[];
  /**
   * Globs (see `compileGlob`) on paths below the root. A path that matches one, or is in a directory that does, is excluded: it is not listed and not
   * found, reading or writing it is refused (`path-excluded`), and so is removing or moving a directory that contains such a
   * path. A pattern starts at the root: a leading double star with a slash makes it match at every depth. Default: none.
   */
  readonly exclude?: readonly string[];
  /**
   * Whether the Git directories of the folder, `.git` at every depth, can be written. Programs named by their settings and hooks run when Git is used
   * in the folder. Without it they can be read, and moved, copied or removed together with a directory that contains them; `path-excluded` for any
   * other change. Default: false.
   */
  readonly allowGitWrites?: boolean;
  /** The maximum bytes of one file that is read or written, at least 0. Moving, copying and removing are not limited. Default: 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /**
   * The maximum total bytes of all files of the folder, at least 0. With this limit or the next one, every fork that writes
   * reads the metadata of every file once. Default: unlimited.
   */
  readonly maxBytes?: number;
  /** The maximum number of files, at least 0; the same number of directories is allowed. Default: unlimited. */
  readonly maxFiles?: number;
  /**
   * The source of the times of staged files; on disk a written file has the time of the machine. With `yieldToTimers` a long search
   * yields to timers about every 20 milliseconds. Default: the system clock.
   */
  readonly clock?: Pick<Clock, 'now' | 'yieldToTimers'>;
}

const unlimited = integer({ min: 0, orInfinity: true, default: Number.POSITIVE_INFINITY });
/** What the limits of a folder must be. */
export const hostLimitChecks: LimitsOf<
  Pick<HostFilesystemOptions, 'maxBytes' | 'maxFileBytes' | 'maxFiles'>
> = {
  maxBytes: unlimited,
  maxFileBytes: integer({ min: 0, default: 33_554_432 }),
  maxFiles: unlimited,
};

/** The limits of a folder; the same number of directories as of files. */
export function limitsOf(options: HostFilesystemOptions): TreeLimits {
  const { maxBytes, maxFileBytes, maxFiles } = withDefaults(hostLimitChecks, options);
  return { maxBytes, maxFileBytes, maxFiles, maxDirectories: maxFiles };
}
