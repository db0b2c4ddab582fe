import { integer, type LimitsOf } from '../../core/error/index.ts';
import { normalizePath } from '../../core/filesystem/index.ts';

/** Patterns that a mount excludes unless `defaultExcludes` is false: version control and installed packages. */
export const defaultExcludes: readonly string[] = Object.freeze([
  '**/.git',
  '**/.git/**',
  '**/node_modules',
  '**/node_modules/**',
]);

/** Options of `readFolder` but for its allowed roots. @internal */
export interface FolderCopyOptions {
  /** The folder to read. Relative to the working directory of the process. Messages name it exactly as given here. */
  readonly hostPath: string;
  /** The directory for its files, relative to the workspace root. Default: `.`, the root itself. */
  readonly mountPath?: string;
  /** Globs (see `compileGlob`) on the path below the folder; only files that match one are taken. Default: every file. */
  readonly include?: readonly string[];
  /**
   * Globs (see `compileGlob`) on the path below the folder; a path that matches one is excluded, and a directory that matches is not entered.
   * A pattern starts at the folder: a leading double star with a slash makes it match at every depth. Added to the default patterns.
   */
  readonly exclude?: readonly string[];
  /** Whether `.git` and `node_modules` are excluded at every depth. Default: true. */
  readonly defaultExcludes?: boolean;
  /** The maximum total bytes; a file that does not fit any more is skipped. Default: 67,108,864 (64 MiB). */
  readonly maxBytes?: number;
  /** The maximum bytes of one file; a larger file is skipped unread. Default: 8,388,608 (8 MiB). */
  readonly maxFileBytes?: number;
  /** The maximum number of files; reading ends at the first file beyond it. Default: 20,000. */
  readonly maxFiles?: number;
  /** The maximum number of directory entries read, of any kind; reading ends when there are more. Default: 200,000. */
  readonly maxEntries?: number;
  /**
   * Whether to follow symbolic links to targets within the folder. A link that leads out of it is never
   * followed, nor one to a directory that contains the link. Default: false; links are skipped and reported.
   */
  readonly followSymlinks?: boolean;
  /** Aborts the reading; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of `readFolder`. */
export interface ReadFolderOptions extends FolderCopyOptions {
  /**
   * Folders that may be mounted, with everything in them; relative ones are taken from the working directory of the
   * process. Checked on real paths, after all links. At least one.
   */
  readonly allowedRoots: readonly string[];
}

/** Limits of one mount, all set. */
export interface FolderLimits {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxEntries: number;
}

/** What the limits of a mount must be. */
export const folderLimitChecks: LimitsOf<FolderLimits> = {
  maxBytes: integer({ min: 0, default: 67_108_864 }),
  maxFileBytes: integer({ min: 0, default: 8_388_608 }),
  maxFiles: integer({ min: 0, default: 20_000 }),
  maxEntries: integer({ min: 0, default: 200_000 }),
};

/** @throws {FilesystemError} `path-invalid` or `path-outside-root` for a path that the workspace cannot have. */
export function resolveMountPath(options: FolderCopyOptions): string {
  return normalizePath(options.mountPath ?? '.');
}
