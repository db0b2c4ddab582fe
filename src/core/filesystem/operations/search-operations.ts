import { assertArgument } from '../../error/index.ts';
import { none, once, present } from '../../internal/index.ts';
import { EventLoopYield } from '../../session/index.ts';
import { searchText } from '../content/file-content.ts';
import type { FileLink } from '../content/tree-node.ts';
import type { TreeCell } from '../fork/tree-cell.ts';
import { compileFileGlob, compileNameFilter, withExistingNames } from '../glob/file-glob.ts';
import {
  enterIgnoreScope,
  gitDirectory,
  type IgnoreScope,
  ignoreFile,
  isIgnored,
} from '../glob/gitignore.ts';
import type { Glob } from '../glob/glob.ts';
import type { GlobOptions, GlobResult, GrepMatch, GrepOptions, GrepResult } from '../interface/filesystem.ts';
import { assertIntegerOption, refuseArgument } from '../path/errors.ts';
import { childPath, isNormalPath, normalizePath, segmentsOf } from '../path/path.ts';
import { compileGrep } from '../text/grep.ts';
import { assertPattern } from '../text/linear-pattern.ts';
import { type FoundFile, type WalkIgnores, walkFiles } from '../tree/file-walk.ts';
import { assertExists, directoryOf } from '../tree/tree.ts';

const defaultGrepLimit = 1000;
const defaultMaxLineLength = 2000;

/** Yields to timers during a search, and ends the search when it was aborted or its view was closed. */
class SearchPauses {
  readonly #eventLoop: EventLoopYield;
  readonly #signal: AbortSignal | undefined;
  readonly #assertOpen: () => void;

  /** @throws the reason of a signal that is already aborted. */
  constructor(cell: TreeCell, signal: AbortSignal | undefined, assertOpen: () => void) {
    signal?.throwIfAborted();
    this.#eventLoop = new EventLoopYield(cell.clock);
    this.#signal = signal;
    this.#assertOpen = assertOpen;
  }

  /** A pause when one is due; it rejects when the search must end. */
  pauseIfDue(): Promise<void> | undefined {
    return this.#eventLoop.pauseIfDue()?.then(() => this.assertWanted());
  }

  /** Throws when the search is to end. */
  assertWanted(): void {
    this.#signal?.throwIfAborted();
    this.#assertOpen();
  }
}

const ignoreFiles = once(() => compileNameFilter(ignoreFile));

/**
 * What a walk below a directory leaves out because of `.gitignore` files. All such files that it depends on are recorded as read,
 * and so are all names: the number of ignored entries depends on entries that no pattern finds.
 * @returns undefined when nothing is left out: the directory, or one above it, is ignored itself, and was asked for by name.
 */
function ignoresBelow(cell: TreeCell, path: string): WalkIgnores | undefined {
  let scope: IgnoreScope | undefined;
  let directory = '.';
  for (const name of segmentsOf(path)) {
    const found = cell.resolve({ kind: 'file', path: childPath(directory, ignoreFile) });
    const isFile = found.kind === 'node' && found.node.kind === 'file' && found.node.link === undefined;
    scope = enterIgnoreScope(scope, directory, isFile ? found.node.content.text() : undefined);
    directory = childPath(directory, name);
    if (name === gitDirectory || isIgnored(scope, directory, true)) return undefined;
  }
  cell.resolve({ kind: 'grep', path, glob: ignoreFiles() });
  cell.resolve({ kind: 'names', path });
  return { scope, ignored: 0 };
}

/** Whether there is something at a path below a directory; recorded as read. */
function existsBelow(cell: TreeCell, directory: string): (path: string) => boolean {
  return (path) => {
    const at = childPath(directory, path);
    return isNormalPath(at) && ['file', 'directory'].includes(cell.kindAt(at).kind);
  };
}

/**
 * Implements `Filesystem.glob` on a cell. Its read is recorded at once, and it searches the same content whatever changes while it pauses.
 * @param assertOpen throws when the view of the caller is closed.
 */
export async function globFiles(
  cell: TreeCell,
  pattern: string,
  options: GlobOptions,
  assertOpen: () => void,
): Promise<GlobResult> {
  assertArgument('glob()', 'options', options, 'object', refuseArgument);
  const path = normalizePath(options.path ?? '.');
  assertIntegerOption('limit', options.limit, 1);
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const glob = compileFileGlob(withExistingNames(pattern, existsBelow(cell, path)));
  const pauses = new SearchPauses(cell, options.signal, assertOpen);
  const directory = directoryOf(path, cell.resolve({ kind: 'glob', path, glob }));
  const { respectGitignore = false } = options;
  const ignores = respectGitignore ? ignoresBelow(cell, path) : undefined;
  const paths: string[] = [];
  const links: Record<string, FileLink> = Object.create(null);
  let hasLinks = false;
  const result = (truncated: boolean): GlobResult => ({
    paths,
    truncated,
    ...present({
      links: hasLinks ? links : undefined,
      ignored: respectGitignore ? (ignores?.ignored ?? 0) : undefined,
    }),
  });
  for (const file of walkFiles(directory, path, glob, ignores)) {
    const pause = pauses.pauseIfDue();
    if (pause !== undefined) await pause;
    if (file === undefined) continue;
    if (paths.length === limit) return result(true);
    paths.push(file.path);
    const { link } = file.node;
    if (link === undefined) continue;
    // The reported link depends on its target, not on its name alone.
    cell.resolve({ kind: 'file', path: file.path });
    links[file.path] = link;
    hasLinks = true;
  }
  return result(false);
}

/** The files to search; `ignores` is undefined for a file that is searched by name. */
function filesToSearch(
  cell: TreeCell,
  path: string,
  glob: Glob | undefined,
  respectGitignore: boolean,
): { readonly files: Iterable<FoundFile | undefined>; readonly ignores?: WalkIgnores | undefined } {
  const found = cell.resolve({ kind: 'grep', path, glob });
  assertExists(path, found);
  if (found.node.kind === 'directory') {
    const ignores = respectGitignore ? ignoresBelow(cell, path) : undefined;
    return { files: walkFiles(found.node, path, glob, ignores), ignores };
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { files: glob === undefined || glob.test(name) ? [{ path, node: found.node }] : [] };
}

/**
 * Implements `Filesystem.grep` on a cell, as {@link globFiles}.
 * @param assertOpen throws when the view of the caller is closed.
 * @param countsReads whether what is found counts as read by the caller. Default: false.
 */
export async function grepFiles(
  cell: TreeCell,
  pattern: string,
  options: GrepOptions,
  assertOpen: () => void,
  countsReads = false,
): Promise<GrepResult> {
  assertArgument('grep()', 'options', options, 'object', refuseArgument);
  const { limit = defaultGrepLimit, maxLineLength = defaultMaxLineLength } = options;
  const path = normalizePath(options.path ?? '.');
  assertIntegerOption('limit', limit, 1);
  assertIntegerOption('maxLineLength', maxLineLength, 1);
  const glob =
    options.glob === undefined
      ? undefined
      : compileNameFilter(withExistingNames(options.glob, existsBelow(cell, path)));
  const { literal = false, ignoreCase = false, respectGitignore = false, '~shown': shows } = options;
  assertPattern({ pattern });
  const pauses = new SearchPauses(cell, options.signal, assertOpen);
  // Before the first pause: the search is of what the files are now.
  const { files, ignores } = filesToSearch(cell, path, glob, respectGitignore);
  const grep = await compileGrep({ pattern, literal, ignoreCase });
  pauses.assertWanted();
  const matches: GrepMatch[] = [];
  let skippedBinary = 0;
  const result = (truncated: boolean): GrepResult => ({
    matches,
    truncated,
    skippedBinary,
    ...present({ ignored: respectGitignore ? (ignores?.ignored ?? 0) : undefined }),
  });
  for (const file of files) {
    const pause = pauses.pauseIfDue();
    if (pause !== undefined) await pause;
    if (file === undefined) continue;
    const { content } = file.node;
    const found = searchText(content, grep.required);
    // A file that is searched by name was looked into, whatever was found.
    if (countsReads && file.path === path) cell.recordContentRead({ path, content, ranges: none }, true);
    // A link that does not lead to a file has no content, binary or not.
    const hasContent = file.node.link === undefined || file.node.link.leads === 'file';
    if (found.kind === 'binary' && hasContent) skippedBinary += 1;
    if (found.kind !== 'text') continue;
    const { text } = found;
    for (const match of grep.matchingLines(text)) {
      const pauseWithin = pauses.pauseIfDue();
      if (pauseWithin !== undefined) await pauseWithin;
      if (match === undefined) continue;
      for (const part of grep.partsOf(match, maxLineLength)) {
        const pauseBetween = pauses.pauseIfDue();
        if (pauseBetween !== undefined) await pauseBetween;
        if (matches.length === limit) return result(true);
        const { column, hasMore, start, end } = part;
        const shown = {
          path: file.path,
          line: match.line,
          ...present({ column }),
          text: part.text,
          ...present({ more: hasMore ? (true as const) : undefined }),
        };
        if (shows?.(shown) === false) return result(true);
        matches.push(shown);
        if (!countsReads) continue;
        // A link is read where it leads.
        const { link } = file.node;
        const readPath = link?.leads === 'file' ? link.path : file.path;
        cell.recordContentRead({ path: readPath, content, ranges: [start, end], length: text.length }, true);
      }
    }
  }
  return result(false);
}
