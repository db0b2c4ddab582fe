import { compileGlob, type Glob } from './glob.ts';

/** What makes a pattern of a name that it does not match itself, as `*` and `?` do. */
const special = /[[{|]|[@!+*?]\(|(?:^|\/)!/;

/** Whether a segment is tried as a name, too. One with escapes is a pattern. */
function mayBeName(segment: string): boolean {
  return special.test(segment) && !segment.includes('\\');
}

/** A pattern in which these segments are names; wildcards stay what they are where `keepsWildcards`. */
function withNames(
  segments: readonly string[],
  isName: (index: number) => boolean,
  keepsWildcards: boolean,
): string {
  const others = keepsWildcards ? /[^\p{L}\p{N}*?]/gu : /[^\p{L}\p{N}]/gu;
  return segments
    .map((segment, index) => (isName(index) ? segment.replace(others, '\\$&') : segment))
    .join('/');
}

/**
 * The pattern in which names at its start that exist as they are written are just these names: `app/[slug]/*.tsx` finds what is in the folder
 * `[slug]` where there is one, and in the folders `s`, `l`, `u` and `g` otherwise.
 *
 * @param exists whether there is something at a path, relative to the directory that the pattern is relative to.
 */
export function withExistingNames(pattern: string, exists: (path: string) => boolean): string {
  // Anything else than a text is refused where it is compiled.
  if (typeof pattern !== 'string' || !special.test(pattern)) return pattern;
  const segments = pattern.split('/');
  const path: string[] = [];
  const names = new Set<number>();
  for (const [index, segment] of segments.entries()) {
    if (segment === '' || segment === '.') continue;
    path.push(segment);
    if (mayBeName(segment)) {
      if (!exists(path.join('/'))) break;
      names.add(index);
    } else if (segment === '..' || /[*?\\]/.test(segment)) break;
  }
  return names.size === 0 ? pattern : withNames(segments, (index) => names.has(index), false);
}

/**
 * As {@link compileGlob}, for files that may have such names: a name in the pattern with brackets, braces or a group also matches the name as it is
 * written, so that a path matches itself.
 *
 * @throws {FilesystemError} as {@link compileGlob}.
 */
export function compileFileGlob(pattern: string): Glob {
  const glob = compileGlob(pattern);
  const segments = pattern.split('/');
  if (!segments.some(mayBeName)) return glob;
  const named = compileGlob(withNames(segments, (index) => mayBeName(segments[index] ?? ''), true));
  const differing = glob.prefix.findIndex((name, index) => named.prefix[index] !== name);
  return Object.freeze({
    pattern,
    prefix: differing === -1 ? glob.prefix : glob.prefix.slice(0, differing),
    maxDepth:
      glob.maxDepth === undefined || named.maxDepth === undefined
        ? undefined
        : Math.max(glob.maxDepth, named.maxDepth),
    test: (path: string) => glob.test(path) || named.test(path),
  });
}

/** A filter for search: like {@link compileFileGlob}, but a pattern without `/` matches names at any depth. */
export function compileNameFilter(pattern: string): Glob {
  const glob = compileFileGlob(pattern);
  return pattern.includes('/') ? glob : { ...compileFileGlob(`**/${pattern}`), pattern };
}
