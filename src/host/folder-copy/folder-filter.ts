import { compileFileGlob, type Glob } from '../../core/filesystem/index.ts';
import { defaultExcludes, type FolderCopyOptions } from './options.ts';

/** Decides by path below the mounted folder which files are taken and which directories are entered. */
export interface FolderFilter {
  /** Whether this path, and all below it, is excluded by `exclude`. */
  excludes(path: string): boolean;
  /** Whether a file with this path matches `include`. */
  includes(path: string): boolean;
  /** Whether a file below this directory can match `include`. */
  enters(directoryPath: string): boolean;
}

/**
 * Compiles the globs of a mount once.
 * @throws {FilesystemError} `pattern-invalid` for a glob that cannot be used.
 */
export function compileFolderFilter(
  options: Pick<FolderCopyOptions, 'include' | 'exclude' | 'defaultExcludes'>,
): FolderFilter {
  const { include, exclude = [], defaultExcludes: withDefaults = true } = options;
  const excludePatterns = [...(withDefaults ? defaultExcludes : []), ...exclude];
  const excluded = excludePatterns.flatMap(compileExclude);
  const included = include?.map(compileFileGlob);
  return {
    excludes: (path) => excluded.some((glob) => glob.test(path)),
    includes: (path) => included === undefined || included.some((glob) => glob.test(path)),
    enters: (path) => included === undefined || included.some((glob) => canMatchBelow(glob, path.split('/'))),
  };
}

/** `name/**` also excludes the directory itself, so that it is not entered only to skip everything in it. */
function compileExclude(pattern: string): readonly Glob[] {
  const directory = pattern.endsWith('/**') ? pattern.slice(0, -'/**'.length) : '';
  const isDirectoryOnly = directory !== '' && !directory.endsWith('**');
  return isDirectoryOnly
    ? [compileFileGlob(pattern), compileFileGlob(directory)]
    : [compileFileGlob(pattern)];
}

/** Whether a glob can match a file below a directory: their paths agree, and the glob reaches deep enough. */
function canMatchBelow({ prefix, maxDepth }: Glob, directory: readonly string[]): boolean {
  if (maxDepth !== undefined && directory.length >= maxDepth) return false;
  return prefix.every((name, index) => directory[index] === undefined || directory[index] === name);
}
