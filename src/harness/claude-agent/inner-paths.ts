import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { isRecord } from '../../core/internal/index.ts';

/** Names of arguments that are paths: `path`, `file_path`, `notebook_path`, `file_paths`, `cwd`, `out_dir`, `scriptPath` and what else is named so. */
const pathName = /(?:^|_)(?:path|file|dir|directory|folder|cwd|root)s?$|[a-z](?:Path|File|Dir|Directory)s?$/;

/** Tools whose `pattern` is one of paths; that of others, such as Grep, is one of text. */
const globTools: readonly string[] = ['Glob'];

/**
 * Whether all that the arguments of a call name as a path, or as a pattern of paths, is inside of the folder.
 *
 * A harness reads a path in its own way: it trims it, knows `~` and joins it to its folder. So a path counts only when there is one way to
 * read it: when it is equal to its normalized self.
 */
export async function namesOnlyWithin(toolName: string, input: unknown, folder: string): Promise<boolean> {
  const root = await realpath(folder);
  for (const [name, value] of textsIn(input)) {
    if (pathName.test(name)) {
      if (!(isPlain(value) && (await isInside(value, root)))) return false;
    } else if (name === 'glob') {
      // Grep separates them by blanks and commas; a mark before one excludes what it matches.
      if (value.length > maxCharacters) return false;
      for (const pattern of value.split(/[\s,]+(?![^{]*\})/))
        if (!(await isInnerPattern(pattern.replace(/^!/, ''), root))) return false;
    } else if (name === 'pattern' && globTools.includes(toolName) && !(await isInnerPattern(value, root))) {
      return false;
    }
  }
  return true;
}

/** All texts of a value, each with the name of the member that holds it, or that holds its list. */
function textsIn(input: unknown): readonly (readonly [name: string, value: string])[] {
  const texts: (readonly [string, string])[] = [];
  const waiting: (readonly [string, unknown])[] = [['', input]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, value] = next;
    if (typeof value === 'string') texts.push([name, value]);
    else if (Array.isArray(value)) for (const each of value) waiting.push([name, each]);
    else if (isRecord(value)) waiting.push(...Object.entries(value));
  }
  return texts;
}

/** No path that a system opens is longer. */
const maxCharacters = 4_096;

/** Blanks and invisible characters at its ends, and controls anywhere; what a shell or a reader of addresses would replace. */
const unplain =
  /^[\p{Z}\p{Cc}\p{Cf}\p{Cs}]|[\p{Z}\p{Cc}\p{Cf}\p{Cs}]$|\p{Cc}|^[~$%"'`]|^@[/~.]|^(?![A-Za-z]:\\)[A-Za-z][\w+.-]*:/u;

/** Whether there is one way to read a path. */
function isPlain(path: string): boolean {
  if (path.length > maxCharacters) return false;
  const slashed = sep === '/' ? path : path.replaceAll('/', sep);
  if (sep === '/' && path.includes('\\')) return false;
  return !unplain.test(path) && path.normalize('NFC') === path && normalize(slashed) === slashed;
}

/**
 * What in a pattern may be `..` or the beginning of another path: two dots, an alternative of dots only or of nothing, one with a slash or with alternatives of its
 * own, a class with a dot, and the patterns in parentheses that only some readers know.
 */
const ambiguous = /\.\.|[{,]\.*[,}]|\{[^}]*[/{]|\[[^\]]*\.|[?*+@!]\(/;

async function isInnerPattern(pattern: string, root: string): Promise<boolean> {
  if (!isPlain(pattern) || ambiguous.test(pattern)) return false;
  const segments = pattern.split(sep === '/' ? '/' : /[/\\]/);
  const wild = segments.findIndex((segment) => /[*?[\]{}!]/.test(segment));
  const fixed = (wild < 0 ? segments : segments.slice(0, wild)).join(sep);
  return isInside(fixed || (isAbsolute(pattern) ? sep : '.'), root);
}

/** Links are followed as far as the path exists. @param root a real path. */
async function isInside(path: string, root: string): Promise<boolean> {
  const target = await realpathOf(resolve(root, path));
  if (target === undefined) return false;
  const way = relative(root, target);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Undefined for what is there and leads nowhere: a file that is made at a link is made where it leads. */
async function realpathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || (await lstat(path).catch(() => undefined)) !== undefined) return undefined;
    const inner = await realpathOf(parent);
    return inner === undefined ? undefined : join(inner, relative(parent, path));
  }
}
