import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { posix } from 'node:path';
import { childPath, maxPathDepth, segmentsOf } from '../../../core/filesystem/index.ts';
import { attempt } from '../../../core/internal/index.ts';
import { errorCode } from '../../disk/system-error.ts';
import { journalIds } from '../commit/journal.ts';
import { atPath } from '../commit/run-step.ts';
import { NoDirectoryError } from '../jail/disk-error.ts';
import { type HostJail, temporaryPartOf } from '../jail/jail.ts';

/** A file that a commit made for itself and did not remove, because its process was killed. */
interface DeadFile {
  readonly path: string;
  /** `n`: new content; `b`, `t`: what was replaced or taken away. */
  readonly part: string;
}

/** What rows have of the files that a commit found and left. */
export interface KnownContents {
  /** SHA-256 of the contents of files, in hexadecimal. */
  readonly hashes: ReadonlySet<string>;
  /** Targets of symbolic links. */
  readonly links: ReadonlySet<string>;
}

/**
 * What commits of dead processes left in a folder when their journals are gone, such as those of a removed container. A file with new content is a
 * copy and is removed. Anything else may be the only one of its kind: it is removed only when a row has its content.
 *
 * Names are those that a commit gives, with a UUID; commits that a journal here knows are left to it. Use only under the lock of the folder.
 */
export class DeadFiles {
  readonly #jail: HostJail;
  readonly #found: readonly DeadFile[];

  /** @param paths the paths that the commit changed: its files are in the directories of these. Undefined: they may be anywhere. */
  constructor(jail: HostJail, journalDirectory: string, paths: Iterable<string> | undefined) {
    this.#jail = jail;
    const known = new Set(journalIds(journalDirectory));
    const directories =
      paths === undefined ? directoriesBelow(jail) : new Set([...paths].flatMap(directoriesAround));
    this.#found = [...directories].flatMap((directory) => deadFilesIn(jail, directory, known));
  }

  /** Removes files with new content. */
  clearCopies(): void {
    for (const { path, part } of this.#found)
      if (part.startsWith('n') && this.#isFile(path)) this.#remove(path);
  }

  /**
   * Removes what was replaced or taken away, if its content is known.
   * @returns the paths of what is left.
   */
  clearOld(known: KnownContents): readonly string[] {
    const old = this.#found.filter(({ part }) => !part.startsWith('n'));
    return old
      .map(({ path }) => path)
      .filter((path) => {
        if (!this.#isKnown(path, known)) return true;
        this.#remove(path);
        return false;
      });
  }

  /** Whether rows have the content of a file, the target of a link, or all that is in a directory that was taken away. */
  #isKnown(path: string, known: KnownContents): boolean {
    const stats = this.#jail.statOf(segmentsOf(path));
    if (stats?.isFile() === true) return known.hashes.has(this.#hashOf(path));
    if (stats?.isSymbolicLink() === true) return known.links.has(this.#targetOf(path));
    if (stats?.isDirectory() !== true) return false;
    return entriesOf(this.#jail, path).every(({ name }) => this.#isKnown(childPath(path, name), known));
  }

  #targetOf(path: string): string {
    const segments = segmentsOf(path);
    return this.#jail.within(segments.slice(0, -1), (pathOf) => readlinkSync(pathOf(segments.at(-1))));
  }

  #isFile(path: string): boolean {
    return this.#jail.statOf(segmentsOf(path))?.isFile() === true;
  }

  #hashOf(path: string): string {
    const read = (file: number): string => createHash('sha256').update(readFileSync(file)).digest('hex');
    try {
      return this.#jail.readFile(segmentsOf(path), read) ?? '';
    } catch {
      // It cannot be read, so whether it is known cannot be said.
      return '';
    }
  }

  #remove(path: string): void {
    // When that fails it stays, hidden as before.
    attempt(() => atPath(this.#jail, path, (at) => rmSync(at, { recursive: true })));
  }
}

function directoriesAround(path: string): readonly string[] {
  const directories: string[] = [];
  for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) directories.push(at);
  return [...directories, '.'];
}

/** All directories of the folder that a path can name, without following links. One that cannot be read has no files for us. */
function directoriesBelow(jail: HostJail): readonly string[] {
  const found = ['.'];
  for (const directory of found) {
    if (directory !== '.' && segmentsOf(directory).length >= maxPathDepth) continue;
    for (const { name, isDirectory } of entriesOf(jail, directory))
      if (isDirectory) found.push(directory === '.' ? name : childPath(directory, name));
  }
  return found;
}

function entriesOf(
  jail: HostJail,
  directory: string,
): readonly { readonly name: string; readonly isDirectory: boolean }[] {
  try {
    return jail.within(directory === '.' ? [] : segmentsOf(directory), (pathOf) =>
      readdirSync(pathOf(), { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        isDirectory: entry.isDirectory(),
      })),
    );
  } catch (error) {
    if (hasNoEntries(error)) return [];
    throw error;
  }
}

function hasNoEntries(error: unknown): boolean {
  const code = errorCode(error);
  return error instanceof NoDirectoryError || code === 'ENOENT' || code === 'EACCES';
}

function deadFilesIn(jail: HostJail, directory: string, known: ReadonlySet<string>): readonly DeadFile[] {
  return entriesOf(jail, directory).flatMap(({ name }) => {
    const made = temporaryPartOf(name);
    if (made === undefined || known.has(made.id)) return [];
    return [{ path: directory === '.' ? name : childPath(directory, name), part: made.part }];
  });
}
