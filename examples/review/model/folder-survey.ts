import { readName } from '../text.ts';
import { Omissions } from './omissions.ts';
import { folderOf } from './rules/file-kind.ts';
import { effort } from './settings.ts';
import { type AnsweredCall, RequestQueue, type ToolRequest } from './tool-request.ts';
import { parseListing, parseMatches, parsePaths } from './tool-text.ts';

/** Search patterns of the survey: files with a match are read even when they are not code. */
const searchedPatterns = ['\\b(TODO|FIXME|HACK|XXX)\\b', '^<<<<<<< '];
const markdownPattern = '**/*.{md,markdown,mdx}';

/**
 * First stage of a review: walks the folder with `ls`, looks for Markdown files and searches for marks, and follows up
 * where a result says that it is cut.
 */
export class FolderSurvey {
  readonly #queue = new RequestQueue();
  readonly #listed = new Map<string, readonly string[]>();
  readonly #cutSearches = new Map<string, string[]>();
  /** Size of every file found; undefined where only its name is known. */
  readonly files: Map<string, number | undefined> = new Map<string, number | undefined>();
  /** Files that a search found a match in. */
  readonly matching: Set<string> = new Set<string>();
  readonly #wanted = new Set<string>();
  /** What went wrong or was left out. */
  readonly omissions: Omissions = new Omissions();
  /** Names of directories that the workspace excludes at every depth. */
  readonly #leftOutFolders = new Set<string>();
  /** Directories that were not listed, or not in full. */
  readonly #unsure = new Set<string>();
  /** Paths that the workspace leaves out, as `list_unmounted` says. */
  readonly unmounted: Set<string> = new Set<string>();

  constructor() {
    // First: paths that it names are skipped.
    this.#queue.add({ name: 'list_unmounted', arguments: {} });
    this.#wantListing('.');
    this.#queue.add({ name: 'glob', arguments: { pattern: markdownPattern } });
    for (const pattern of searchedPatterns) this.#queue.add({ name: 'grep', arguments: { pattern } });
  }

  /** Directories that were listed. */
  get listedDirectories(): number {
    return this.#listed.size;
  }

  /** True when `path` is a file or directory of the folder. */
  has(path: string): boolean {
    return this.files.has(path) || this.#listed.has(path);
  }

  /** True when `path` exists, or may exist although the model cannot see it. */
  mayHold(path: string): boolean {
    if (this.has(path) || this.unmounted.has('.') || this.#unsure.has('.')) return true;
    if (path.split('/').some((segment) => this.#leftOutFolders.has(segment))) return true;
    for (let place = path; place !== '.'; place = folderOf(place)) {
      if (this.unmounted.has(place) || this.#unsure.has(place)) return true;
    }
    return false;
  }

  next(): readonly ToolRequest[] {
    return this.#queue.next(effort.callsPerTurn);
  }

  noteAsked(request: ToolRequest): void {
    this.#queue.markAsked(request);
  }

  observe(call: AnsweredCall): void {
    if (call.isError) {
      const where = textArgument(call, 'path') ?? '.';
      this.omissions.add(`\`${call.name}\` failed`, [where]);
      if (call.name === 'ls') {
        this.#listed.set(where, []);
        this.#unsure.add(where);
      }
    } else if (call.name === 'ls') this.#observeListing(textArgument(call, 'path') ?? '.', call.text);
    else if (call.name === 'glob') this.#observePaths(call);
    else if (call.name === 'grep') this.#observeMatches(call);
    else if (call.name === 'list_unmounted') this.#observeUnmounted(call.text);
  }

  #observeListing(directory: string, text: string): void {
    const listing = parseListing(text);
    const directories: string[] = [];
    for (const entry of listing.entries) {
      const path = directory === '.' ? entry.name : `${directory}/${entry.name}`;
      if (this.unmounted.has(path)) continue;
      if (!entry.isDirectory) this.files.set(path, entry.bytes);
      else {
        directories.push(path);
        this.#wantListing(path);
      }
    }
    this.#listed.set(directory, directories);
    if (listing.isPartial) this.#queue.add({ name: 'glob', arguments: { pattern: '**', path: directory } });
    for (const pattern of this.#cutSearches.get(directory) ?? []) this.#splitSearch(pattern, directory);
    this.#cutSearches.delete(directory);
  }

  #observePaths(call: AnsweredCall): void {
    const found = parsePaths(call.text);
    const from = textArgument(call, 'path') ?? '.';
    for (const path of found.paths) {
      if (this.unmounted.has(path)) continue;
      if (!this.files.has(path)) this.files.set(path, undefined);
      for (let folder = folderOf(path); folder !== '.' && folder !== from; folder = folderOf(folder)) {
        this.#wantListing(folder);
      }
    }
    // The walk finds the Markdown files as well; this search covers directories too large for `ls`.
    if (found.isPartial && textArgument(call, 'pattern') === '**') {
      this.#unsure.add(from);
      this.omissions.add('Not reviewed in full, more files than the tools show', [from]);
    }
  }

  #observeUnmounted(text: string): void {
    for (const line of text.split('\n')) {
      const folder = /^- every (.+)\/$/s.exec(line)?.[1];
      const path = /^- ("(?:[^"\\]|\\.)*"|[^":]+): /s.exec(line)?.[1];
      if (folder !== undefined) this.#leftOutFolders.add(folder);
      else if (path !== undefined) this.unmounted.add(readName(path));
    }
  }

  #observeMatches(call: AnsweredCall): void {
    const found = parseMatches(call.text);
    for (const { path } of found.matches) if (!this.unmounted.has(path)) this.matching.add(path);
    const pattern = textArgument(call, 'pattern');
    if (!found.isPartial || pattern === undefined) return;
    const directory = textArgument(call, 'path') ?? '.';
    if (textArgument(call, 'glob') !== undefined) {
      this.omissions.add('Not searched in full, more matches than the tools show', [directory]);
    } else if (this.#listed.has(directory)) this.#splitSearch(pattern, directory);
    else this.#cutSearches.set(directory, [...(this.#cutSearches.get(directory) ?? []), pattern]);
  }

  /** Searches the parts of a directory one by one, because the result for all of it was cut. */
  #splitSearch(pattern: string, directory: string): void {
    this.#queue.add({ name: 'grep', arguments: { pattern, path: directory, glob: '*' } });
    for (const child of this.#listed.get(directory) ?? []) {
      this.#queue.add({ name: 'grep', arguments: { pattern, path: child } });
    }
  }

  #wantListing(directory: string): void {
    if (this.#wanted.has(directory)) return;
    if (this.#wanted.size < effort.directories) {
      this.#wanted.add(directory);
      this.#queue.add({ name: 'ls', arguments: { path: directory } });
    } else {
      this.#unsure.add(directory);
      this.omissions.add('Not listed, too many directories', [directory]);
    }
  }
}

/** A string among the arguments of a call; undefined when it is absent or not a string. */
export function textArgument(call: ToolRequest, name: string): string | undefined {
  const value = call.arguments[name];
  return typeof value === 'string' ? value : undefined;
}
