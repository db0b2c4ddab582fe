import { FilesystemError } from '../../../error/index.ts';

/** Options of `openStagedFolder`. */
export interface StagedFolderOptions {
  /**
   * What the folder is: an `overlay` of the folder of a `HostFilesystem`, a `copy`, or with `auto` an overlay where the
   * kernel allows one, else a copy. Default: `auto`.
   */
  readonly layer?: 'auto' | 'overlay' | 'copy';
  /**
   * The folder in which the private folder is made; it must exist, and not lie in the folder that is staged. Relative to the
   * working directory of the process. Default: the system's folder for temporary files.
   */
  readonly tempRoot?: string;
  /**
   * Globs (see `compileGlob`) on paths from the root; what matches one is neither in the folder nor collected from it, and a
   * directory that matches is left alone with all below it: `**` + `/coverage`. Default: none.
   */
  readonly exclude?: readonly string[];
  /**
   * Bytes written to the folder in all, without what an overlay shows as it is, and bytes taken back by one `collect`. A whole number from 0 on.
   * Default 268,435,456 (256 MiB).
   */
  readonly maxBytes?: number;
  /** Bytes of one file, either way. A whole number from 0 on. Default 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /**
   * Files and directories in the folder, and entries of any kind that one `collect` looks at. A whole number
   * from 0 on. Default 100,000.
   */
  readonly maxEntries?: number;
  /** Ends the staging, each `run` and each `collect`; their promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Limits of one staged folder, all set. */
export interface StagingLimits {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
}

/** @throws {FilesystemError} `argument-invalid` for a limit that is no whole number from 0 on. */
export function resolveStagingLimits(options: StagedFolderOptions): StagingLimits {
  return {
    maxBytes: wholeNumber('maxBytes', options.maxBytes ?? 268_435_456),
    maxFileBytes: wholeNumber('maxFileBytes', options.maxFileBytes ?? 33_554_432),
    maxEntries: wholeNumber('maxEntries', options.maxEntries ?? 100_000),
  };
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new FilesystemError(
    'argument-invalid',
    `The option ${name} of openStagedFolder is ${String(value)}; it must be a whole number from 0 on.`,
  );
}
