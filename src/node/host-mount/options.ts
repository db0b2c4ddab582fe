import { FilesystemError } from '../../error/index.ts';
import { normalizePath } from '../../filesystem/index.ts';

/** Patterns that a mount leaves out unless `defaultExcludes` is false: version control and installed packages. */
export const defaultMountExcludes: readonly string[] = Object.freeze([
  '**/.git',
  '**/.git/**',
  '**/node_modules',
  '**/node_modules/**',
]);

/** Options of `mountFolder`, and of `readHostMount` but for its allowed roots. */
export interface MountOptions {
  /** The folder to read. Relative to the working directory of the process. Messages name it exactly as it is given here. */
  readonly hostPath: string;
  /** The directory that its files stand in, from the workspace root. Default `.`, the root itself. */
  readonly mountPath?: string;
  /** Globs (see `compileGlob`) on the path below the folder; only files that match one are taken. Default: every file. */
  readonly include?: readonly string[];
  /**
   * Globs (see `compileGlob`) on the path below the folder; what matches one is left out, and a directory that matches is not entered.
   * A pattern starts at the folder: a leading double star with a slash makes it hold at every depth. Added to the default ones.
   */
  readonly exclude?: readonly string[];
  /** Whether `.git` and `node_modules` are left out at every depth. Default true. */
  readonly defaultExcludes?: boolean;
  /** Bytes taken in all; a file that does not fit any more is left out. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number;
  /** Bytes of one file; a larger one is left out unread. Default 8,388,608 (8 MiB). */
  readonly maxFileBytes?: number;
  /** Files taken; the reading ends at the first one over it. Default 20,000. */
  readonly maxFiles?: number;
  /** Directory entries looked at, of whatever kind; the reading ends when there are more. Default 200,000. */
  readonly maxEntries?: number;
  /**
   * Whether symbolic links are followed that lead to a place within the folder. A link that leads out of it is never
   * followed, nor one to a directory that the link stands in. Default false: links are left out and reported.
   */
  readonly followSymlinks?: boolean;
  /** Ends the reading; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of `readHostMount`. */
export interface HostMountOptions extends MountOptions {
  /**
   * Folders that may be mounted, with everything in them; relative ones are taken from the working directory of the
   * process. Checked on real paths, after all links. At least one.
   */
  readonly allowedRoots: readonly string[];
}

/** Limits of one mount, all set. */
export interface MountLimits {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxEntries: number;
}

/** @throws {FilesystemError} `argument-invalid` for a limit that is no whole number from 0 on. */
export function resolveLimits(options: MountOptions): MountLimits {
  return {
    maxBytes: wholeNumber('maxBytes', options.maxBytes ?? 67_108_864),
    maxFileBytes: wholeNumber('maxFileBytes', options.maxFileBytes ?? 8_388_608),
    maxFiles: wholeNumber('maxFiles', options.maxFiles ?? 20_000),
    maxEntries: wholeNumber('maxEntries', options.maxEntries ?? 200_000),
  };
}

/** @throws {FilesystemError} `path-invalid` or `path-outside-root` for a path that the workspace cannot have. */
export function resolveMountPath(options: MountOptions): string {
  return normalizePath(options.mountPath ?? '.');
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new FilesystemError(
    'argument-invalid',
    `The mount option ${name} is ${String(value)}; it must be a whole number from 0 on.`,
  );
}
