import { FilesystemError } from '../../error/index.ts';
import { cutAfter, quoteText } from '../../internal/index.ts';

/** The maximum number of UTF-8 bytes in one segment of a path. */
const maxSegmentBytes = 255;
/** The maximum number of segments in a path. */
export const maxPathDepth = 64;
/** The maximum number of UTF-16 units in a path as given, before it is normalized. */
const maxPathLength = 32_768;
/** The number of UTF-16 units of an invalid path that a message repeats. */
const shownLength = 120;

const loneSurrogate = /\p{Surrogate}/u;
const encoder = new TextEncoder();

function show(path: string): string {
  return quoteText(cutAfter(path, shownLength));
}

function invalid(path: string, problem: string): FilesystemError {
  return new FilesystemError('path-invalid', `The path ${show(path)} ${problem}`, { details: { path } });
}

function assertCharacters(path: string): void {
  if (path === '') throw invalid(path, 'is empty. Use "." for the root.');
  if (path.length > maxPathLength)
    throw invalid(path, `is longer than ${maxPathLength} characters. Shorten it.`);
  if (path.includes('\0')) throw invalid(path, 'contains a NUL character. Remove it.');
  if (path.includes('\\')) throw invalid(path, 'contains a backslash. Separate directories with "/".');
  if (loneSurrogate.test(path))
    throw invalid(path, 'contains half of a surrogate pair. Use whole characters.');
}

/**
 * The segments of a path relative to the root, by the rules of {@link normalizePath}; none for the root.
 * @throws {FilesystemError} `path-invalid`, `path-outside-root`.
 */
export function pathSegments(path: string): readonly string[] {
  if (typeof path !== 'string') {
    throw new FilesystemError(
      'path-invalid',
      `A path must be a string; received ${path === null ? 'null' : typeof path}.`,
    );
  }
  assertCharacters(path);
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) {
      throw new FilesystemError(
        'path-outside-root',
        `The path ${show(path)} leaves the root. Use a path below it, relative to the root.`,
        { details: { path } },
      );
    }
  }
  if (segments.length > maxPathDepth)
    throw invalid(path, `has more than ${maxPathDepth} segments. Use fewer directories.`);
  for (const segment of segments) {
    if (segment.length * 3 > maxSegmentBytes && encoder.encode(segment).byteLength > maxSegmentBytes) {
      throw invalid(path, `has a segment of more than ${maxSegmentBytes} bytes. Use a shorter name.`);
    }
  }
  return segments;
}

/** The path of these segments; `.` for the root. */
export function joinSegments(segments: readonly string[]): string {
  return segments.length === 0 ? '.' : segments.join('/');
}

/** The path of a child of a normalized path. */
export function childPath(parent: string, name: string): string {
  return parent === '.' ? name : `${parent}/${name}`;
}

/** The parent directory of a normalized path; `.` for a path of one segment. */
export function parentPath(path: string): string {
  return joinSegments(segmentsOf(path).slice(0, -1));
}

/** The segments of a normalized path. */
export function segmentsOf(normalizedPath: string): readonly string[] {
  return normalizedPath === '.' ? [] : normalizedPath.split('/');
}

/**
 * The canonical form of a path below the root: `a/b`, or `.` for the root.
 *
 * 1. A leading `/` means the root; empty segments, `.` and a final `/` are dropped.
 * 2. `..` removes the segment before it; it may not leave the root.
 * 3. Refused: an empty path, NUL, backslash, half a surrogate pair, more than 64 segments, a segment of more than 255
 *    UTF-8 bytes. All other Unicode is kept unchanged, including letter case and composition.
 *
 * @throws {FilesystemError} `path-invalid`, `path-outside-root`.
 */
export function normalizePath(path: string): string {
  return joinSegments(pathSegments(path));
}

/** Whether a path can be used and is in its canonical form. */
export function isNormalPath(path: string): boolean {
  try {
    return normalizePath(path) === path;
  } catch {
    return false;
  }
}
