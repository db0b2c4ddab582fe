import { integer, type LimitsOf, type OptionsOf, oneOf } from '../../../core/error/index.ts';

/** Options of `openStagedFolder`. */
export interface StagedFolderOptions {
  /**
   * What the folder is: an `overlay` of the folder of a `HostFilesystem`, a `copy`, or with `auto` an overlay where the
   * kernel allows one, else a copy. Default: `auto`.
   */
  readonly layer?: 'auto' | 'overlay' | 'copy';
  /**
   * The folder in which the private folder is created; it must exist, and not be inside the folder to stage. Relative to the
   * working directory of the process. Default: the system's folder for temporary files.
   */
  readonly tempRoot?: string;
  /**
   * Globs (see `compileGlob`) on paths from the root; a path that matches one is neither staged nor collected, and a
   * directory that matches is excluded with all below it: `**` + `/coverage`. Default: none.
   */
  readonly exclude?: readonly string[];
  /**
   * The maximum total bytes written to the folder, without what an overlay shows unchanged, and bytes collected by one `collect`. A whole number of at least 0.
   * Default: 268,435,456 (256 MiB).
   */
  readonly maxBytes?: number;
  /** The maximum bytes of one file, in both directions. A whole number of at least 0. Default: 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /**
   * The maximum number of files and directories in the folder, and of entries of any kind that one `collect` reads. A whole number
   * of at least 0. Default: 100,000.
   */
  readonly maxEntries?: number;
  /** Aborts the staging, each `run` and each `collect`; their promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Limits of one staged folder, all set. */
export interface StagingLimits {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
}

/** What the limits of a staged folder must be. */
export const stagingLimitChecks: LimitsOf<StagingLimits> = {
  maxBytes: integer({ min: 0, default: 268_435_456 }),
  maxFileBytes: integer({ min: 0, default: 33_554_432 }),
  maxEntries: integer({ min: 0, default: 100_000 }),
};

/** What the options must be where the folder is a copy. */
export const copyChecks: OptionsOf<Omit<StagedFolderOptions, 'signal' | 'layer'>> = {
  ...stagingLimitChecks,
  tempRoot: 'string',
  exclude: 'array',
};

/** What the options must be that do not belong to one call. */
export const stagingChecks: OptionsOf<Omit<StagedFolderOptions, 'signal'>> = {
  ...copyChecks,
  layer: oneOf(['auto', 'overlay', 'copy']),
};
