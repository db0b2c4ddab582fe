import { cutAfter, quoteText } from '../../internal/index.ts';

/** What a path, or a pattern, that a model wrote means in a workspace. */
type GivenPath =
  /** `rivals`: what else of the workspace could be meant; what exists decides. */
  | { readonly kind: 'path'; readonly path: string; readonly rivals: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** Anything but a path from the root of the workspace: `/x`, `~`, `~/x`, `C:/x`, `file:///x`. */
const absolute = /^(?:\/|~(?:\/|$)|[a-z]:[\\/]|file:)/i;
const drive = /^[a-z]:[\\/]/i;
const shownCharacters = 200;

/** The segments of an absolute path, `..` resolved; of one with a drive, the drive is the first. */
function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  const text = drive.test(path)
    ? `${path.slice(0, 1).toUpperCase()}${path.slice(1).replaceAll('\\', '/')}`
    : path;
  for (const segment of text.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** What is below a root; undefined for a path elsewhere. Whole segments are compared. */
function below(root: readonly string[], path: readonly string[]): string | undefined {
  if (root.length > path.length || root.some((segment, index) => path[index] !== segment)) return undefined;
  return path.slice(root.length).join('/') || '.';
}

function placeOf(path: readonly string[], roots: readonly string[]): readonly string[] {
  const places = roots.flatMap((root) => below(segmentsOf(root), path) ?? []);
  return [...new Set(places)];
}

/** The path of a `file:` URL. */
function pathOfUrl(url: string): string {
  const path = url.replace(/^file:(?:\/\/[^/]*)?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function refused(given: string, problem: string, path: string): GivenPath {
  return {
    kind: 'refused',
    message: `${quoteText(cutAfter(given, shownCharacters))} ${problem}. Paths start at the workspace root, without "/": use ${quoteText(cutAfter(path, shownCharacters))} if that is what you mean.`,
  };
}

/**
 * Reads a path as a model writes it who has seen where the files are elsewhere: below a root, in whole segments, it is the path below it. What is
 * outside is refused with the path to use, and so are home folders, drives and URLs. Without roots, a path that begins with `/` is one from the root of the
 * workspace. Anything else stays as it is.
 *
 * @param roots absolute paths under which the model, or the host, has the root of the workspace.
 */
export function readGivenPath(given: string, roots: readonly string[]): GivenPath {
  const same: GivenPath = { kind: 'path', path: given, rivals: [] };
  if (!absolute.test(given) || (given.startsWith('/') && roots.length === 0)) return same;
  if (given.startsWith('~')) {
    const path = segmentsOf(given.slice(1)).join('/') || '.';
    return refused(given, 'is not in the workspace: there is no home folder here', path);
  }
  const isUrl = /^file:/i.test(given);
  // A file may be called `file:x`.
  if (isUrl && !/^file:\//i.test(given)) return same;
  const path = segmentsOf(isUrl ? pathOfUrl(given) : given);
  const [place, ...others] = placeOf(path, roots);
  const literal = path.filter((segment, index) => index > 0 || !/^[a-z]:$/i.test(segment)).join('/') || '.';
  if (isUrl) return refused(given, 'is a URL, not a path', place ?? literal);
  if (place === undefined) return refused(given, 'is outside of the workspace', literal);
  const rivals = given.startsWith('/') ? [...others, literal] : others;
  return { kind: 'path', path: place, rivals: rivals.filter((rival) => rival !== place) };
}
