import type { FilesystemError } from '../../core/error/index.ts';
import { normalizePath, pathError } from '../../core/filesystem/index.ts';
import { cutAfter, formatNumber, hasHidden } from '../../core/internal/index.ts';

/** The folder that all of the memory is in. */
export const memoryRoot = '/memories';

/** UTF-16 units of a path. */
const maxPathCharacters = 1024;
/** UTF-16 units of a refused path that a message repeats. */
const shownCharacters = 120;

/** A dot, a slash, a backslash or a NUL, written as in a URL. */
const percentEncoded = /%(?:2e|2f|5c|00)/iu;

function refused(given: string, problem: string): FilesystemError {
  return pathError('path-invalid', cutAfter(given, shownCharacters), problem);
}

/**
 * The path of a file or folder of the memory in its canonical form: `/memories` or `/memories/a/b`. Names are compared exactly, with
 * letter case and composition.
 *
 * @throws {FilesystemError} `path-invalid`; `path-outside-root` for one that is elsewhere.
 */
export function readMemoryPath(given: string): string {
  if (given.length > maxPathCharacters)
    throw refused(given, `is longer than ${formatNumber(maxPathCharacters)} characters. Use shorter names.`);
  if (hasHidden(given))
    throw refused(given, 'has control characters in it, or others that are not visible. Leave them out.');
  if (given.split('/').includes('..') || percentEncoded.test(given))
    throw refused(
      given,
      'has ".." in it, or percent-encoded dots or slashes. Write the whole path from "/memories/" on.',
    );
  if (given.startsWith('/')) {
    const path = `/${normalizePath(given)}`;
    if (path === memoryRoot || path.startsWith(`${memoryRoot}/`)) return path;
  }
  throw pathError(
    'path-outside-root',
    cutAfter(given, shownCharacters),
    'is not in the memory: each path begins with "/memories/", for example "/memories/notes.md".',
  );
}

/** The folders that a path of the memory is in, outermost first, without the root. */
export function foldersOf(path: string): readonly string[] {
  const names = path.slice(memoryRoot.length + 1).split('/');
  return names.slice(0, -1).map((_, index) => `${memoryRoot}/${names.slice(0, index + 1).join('/')}`);
}

/** Whether a path is hidden when `folder` is viewed: it, or a folder between the two, has a name that begins with a dot. */
export function isHiddenIn(folder: string, path: string): boolean {
  return path.slice(folder.length).includes('/.');
}
