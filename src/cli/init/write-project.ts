import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, UsageError } from '../process/errors.ts';
import { namedPaths, printable } from '../process/plain-text.ts';

/**
 * Checks that a project can be made in a folder, and changes nothing.
 *
 * @param paths what would be written, relative to the folder.
 * @param isForced whether the folder may have files.
 * @throws {UsageError} for a folder that is not empty, and for paths that are there.
 */
export function checkFolder(folder: string, paths: Iterable<string>, isForced: boolean, shown: string): void {
  const names = namesIn(folder, shown);
  const taken = [...paths].flatMap((path) => takenPath(folder, path) ?? []);
  if (taken.length > 0) {
    const [are, them] = taken.length === 1 ? ['exists', 'it'] : ['exist', 'them'];
    throw new UsageError(
      `${namedPaths([...new Set(taken)])} ${are} in "${shown}", and would be written over: move ${them}, or name another folder.`,
    );
  }
  if (names.length === 0 || isForced) return;
  throw new UsageError(
    `the folder "${shown}" is not empty (${namedPaths(names)}): name another one, or add --force to make the project beside what is there.`,
  );
}

/** What of a path is in the way: itself, or a part of it that is not a directory. A link is in the way: it may lead out of the folder. */
function takenPath(folder: string, path: string): string | undefined {
  const parts = path.split('/');
  for (const [index] of parts.entries()) {
    const part = parts.slice(0, index + 1).join('/');
    const found = lstatSync(join(folder, part), { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (index === parts.length - 1 || !found.isDirectory()) return part;
  }
  return undefined;
}

/** What a folder has beside a new repository, sorted; empty when there is none. */
function namesIn(folder: string, shown: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name !== '.git')
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new UsageError(`"${shown}" cannot be used: ${errorMessage(error)}.`, { cause: error });
  }
}

/**
 * Writes the files of a project. Never over a file: what has come there meanwhile fails it. When it fails it removes what it has written.
 *
 * @throws {UsageError} when a file cannot be written.
 */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const undo: (() => void)[] = [];
  const makeFolder = (path: string): void => {
    const first = mkdirSync(path, { recursive: true });
    if (first === undefined) return;
    const made: string[] = [];
    for (let each = path; each.length >= first.length; each = dirname(each)) made.unshift(each);
    for (const each of made) undo.push(() => rmdirSync(each));
  };
  let current = '';
  try {
    makeFolder(folder);
    for (const [path, content] of files) {
      current = path;
      const target = join(folder, path);
      makeFolder(dirname(target));
      writeFileSync(target, content, { flag: 'wx' });
      undo.push(() => rmSync(target));
    }
  } catch (error) {
    for (const step of undo.reverse()) {
      try {
        step();
      } catch {
        // Another process has put something there, or removed it.
      }
    }
    const what = current === '' ? 'the folder' : `"${printable(current)}"`;
    throw new UsageError(`${what} cannot be written: ${errorMessage(error)}. Nothing was made.`, {
      cause: error,
    });
  }
}
