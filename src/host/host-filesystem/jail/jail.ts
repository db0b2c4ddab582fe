import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { resolve, sep } from 'node:path';
import { FilesystemError } from '../../../core/error/index.ts';
import { noFollow, noWaiting, onlyDirectory, openFiles } from '../../disk/open-flags.ts';
import { identityOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { diskError, NoDirectoryError } from './disk-error.ts';
import {
  assertSegment,
  OpenDirectories,
  openRootDirectory,
  type PathOf,
  type Segments,
} from './open-directories.ts';

const temporaryName = /^\.wink-[0-9a-f-]{36}(-[0-9a-z]+)?\.tmp$/;

/** True for the names of files that exist only while changes are written. They are never listed. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.wink-') && temporaryName.test(name);
}

/** A name for the part `part` of the commit `id`. */
export function temporaryNameOf(id: string, part: string): string {
  return `.wink-${id}-${part}.tmp`;
}

const commitName =
  /^\.wink-([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})-([nbt]\d+)\.tmp$/;

/** The id of the commit and the part of it that a name is made of; undefined for a name that {@link temporaryNameOf} does not make for a commit. */
export function temporaryPartOf(name: string): { readonly id: string; readonly part: string } | undefined {
  const [, id, part] = commitName.exec(name) ?? [];
  return id === undefined || part === undefined ? undefined : { id, part };
}

/** The target of a symbolic link, and its raw text; `bytes` when that is not UTF-8. */
export type LinkEnd = { readonly text: string; readonly bytes?: Buffer } & (
  | { readonly kind: 'inside'; readonly segments: Segments; readonly stats: BigIntStats }
  | { readonly kind: 'outside' | 'broken' }
);

const maxLinks = 40;

/**
 * Access to the files below one folder. Every directory on a path is opened relative to the one before it, never through a link,
 * so that no process can redirect an access out of the folder by swapping a directory for a link (Linux: `jail` is `kernel`).
 * On other platforms each directory is checked by its path just before (`checked`).
 */
export class HostJail {
  readonly realPath: string;
  readonly kind: 'kernel' | 'checked';
  /** Undefined where a path cannot start at an open directory. */
  readonly #directories: OpenDirectories | undefined;
  /** Identity of the folder that was opened. */
  readonly #identity: string;

  private constructor(realPath: string, root: number | undefined) {
    this.realPath = realPath;
    this.#directories = root === undefined ? undefined : new OpenDirectories(root);
    this.#identity = identityOf(this.rootStats());
    this.kind = root === undefined ? 'checked' : 'kernel';
  }

  /** @throws the error of the operating system when there is no such folder. */
  static open(path: string): HostJail {
    const realPath = realpathSync(resolve(path));
    if (!lstatSync(realPath).isDirectory())
      throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return new HostJail(realPath, openRoot(realPath));
  }

  /**
   * Asserts that the root is still the folder that was opened. All access goes through the open folder, so without this
   * check a renamed folder would still be read and written under its new name.
   * @throws {FilesystemError} `root-replaced`; `path-forbidden`, `filesystem-storage-failed` when that cannot be determined.
   */
  assertInPlace(): void {
    if (this.#isInPlace()) return;
    throw new FilesystemError(
      'root-replaced',
      'The folder is no longer at its path. It was renamed, removed or replaced by another one, so nothing is read ' +
        'from it or written to it. Put it back, or open the folder that is there now.',
      { details: { path: '.' } },
    );
  }

  /** The metadata of the folder itself, even after it was moved. @throws the error of the operating system. */
  rootStats(): BigIntStats {
    return this.#directories === undefined
      ? lstatSync(this.realPath, { bigint: true })
      : fstatSync(this.#directories.root, { bigint: true });
  }

  dispose(): void {
    this.#directories?.close();
  }

  /**
   * Opens a directory while `use` works in it.
   * @throws {NoDirectoryError} when it, or a directory on the way to it, is gone, a file or a link.
   * @throws the error of the operating system, and what `use` throws.
   */
  within<Result>(directory: Segments, use: (pathOf: PathOf) => Result): Result {
    for (const segment of directory) assertSegment(segment);
    return this.#directories === undefined
      ? use(this.#checkedPath(directory))
      : this.#directories.within(directory, use);
  }

  /**
   * Keeps the directory of an access open for the next ones, while `act` accesses many files, those of one directory after another. Before it goes
   * on to another directory, and at its end, the directory has to be where its path leads: it may have been moved away in between, and then
   * the accesses did not reach the path.
   * @throws {FilesystemError} `file-changed-on-disk`, naming the directory; and what `act` throws.
   */
  keepingOpen<Result>(act: () => Result): Result {
    return this.#directories === undefined ? act() : this.#directories.keepingOpen(act);
  }

  /** The metadata of a path, links not followed; undefined when it does not exist or a parent is not a directory. */
  statOf(segments: Segments): BigIntStats | undefined {
    return statsOrNone(() =>
      this.within(segments.slice(0, -1), (pathOf) => lstatOf(pathOf(segments.at(-1)))),
    );
  }

  /** As {@link statOf}, for one file of a directory after the other: the directory stays open in between, as for {@link readFile}. */
  statOfFile(segments: Segments): BigIntStats | undefined {
    return statsOrNone(() => this.#reading(segments, lstatOf));
  }

  /**
   * Opens a regular file for reading while `use` works with it.
   * @returns undefined when there is no regular file.
   */
  readFile<Result>(
    segments: Segments,
    use: (file: number, stats: BigIntStats) => Result,
  ): Result | undefined {
    if (segments.length === 0) return undefined;
    let file: number;
    try {
      file = this.#reading(segments, (path) => openSync(path, constants.O_RDONLY | noFollow | noWaiting));
    } catch (error) {
      const code = errorCode(error);
      const isGone = code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR';
      if (isGone || error instanceof NoDirectoryError) return undefined;
      throw error;
    }
    try {
      const stats = fstatSync(file, { bigint: true });
      return stats.isFile() ? use(file, stats) : undefined;
    } finally {
      closeSync(file);
    }
  }

  /** False when the operating system certainly denies reading a file. */
  mayRead(segments: Segments): boolean {
    try {
      const flags = constants.O_RDONLY | noFollow | noWaiting;
      closeSync(this.within(segments.slice(0, -1), (pathOf) => openSync(pathOf(segments.at(-1)), flags)));
      return true;
    } catch (error) {
      return errorCode(error) !== 'EACCES' && errorCode(error) !== 'EPERM';
    }
  }

  /** Follows a link, and links that it leads through, as far as they stay below the root. */
  follow(link: Segments): LinkEnd {
    const at = link.slice(0, -1);
    let waiting = link.slice(-1);
    let text: string | undefined;
    let stats: BigIntStats | undefined;
    for (let links = 0; waiting.length > 0; ) {
      const [name = '', ...rest] = waiting;
      waiting = rest;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (at.pop() === undefined) return { kind: 'outside', text: text ?? '' };
        stats = undefined;
        continue;
      }
      stats = this.statOf([...at, name]);
      if (stats === undefined) return { kind: 'broken', text: text ?? '' };
      if (!stats.isSymbolicLink()) {
        if (waiting.some((next) => next !== '' && next !== '.') && !stats.isDirectory())
          return { kind: 'broken', text: text ?? '' };
        at.push(name);
        continue;
      }
      links += 1;
      if (links > maxLinks) return { kind: 'broken', text: text ?? '' };
      const bytes = this.within(at, (pathOf) => readlinkSync(pathOf(name), { encoding: 'buffer' }));
      const target = bytes.toString();
      // It leads to a name that is not valid in a path.
      if (!Buffer.from(target).equals(bytes))
        return text === undefined ? { kind: 'broken', text: target, bytes } : { kind: 'broken', text };
      text ??= target;
      // Its target may end at a directory that was already visited.
      stats = undefined;
      if (target.startsWith('/')) {
        if (target !== this.realPath && !target.startsWith(`${this.realPath}/`))
          return { kind: 'outside', text: text ?? '' };
        at.length = 0;
        waiting = [...target.slice(this.realPath.length).split('/'), ...waiting];
      } else waiting = [...target.split('/'), ...waiting];
    }
    stats ??= at.length === 0 ? this.rootStats() : this.statOf(at);
    return stats === undefined
      ? { kind: 'broken', text: text ?? '' }
      : { kind: 'inside', text: text ?? '', segments: at, stats };
  }

  #isInPlace(): boolean {
    try {
      const found = lstatSync(this.realPath, { bigint: true, throwIfNoEntry: false });
      return found?.isDirectory() === true && identityOf(found) === this.#identity;
    } catch (error) {
      if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ELOOP') return false;
      throw diskError('.', error);
    }
  }

  /** Gives `use` the path of a file in its open directory, for calls to the operating system only. */
  #reading<Result>(file: Segments, use: (path: string) => Result): Result {
    const directory = file.slice(0, -1);
    for (const segment of directory) assertSegment(segment);
    const useIn = (pathOf: PathOf): Result => use(pathOf(file.at(-1)));
    return this.#directories === undefined
      ? useIn(this.#checkedPath(directory))
      : this.#directories.reading(directory, useIn);
  }

  #checkedPath(directory: Segments): PathOf {
    let path = this.realPath;
    for (const segment of directory) {
      path = `${path}${sep}${segment}`;
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined || !stats.isDirectory()) throw new NoDirectoryError();
    }
    return (name) => (name === undefined ? path : `${path}${sep}${assertSegment(name)}`);
  }
}

function lstatOf(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function statsOrNone(find: () => BigIntStats | undefined): BigIntStats | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof NoDirectoryError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The open root; undefined where a path cannot start at an open directory. */
function openRoot(realPath: string): number | undefined {
  if (onlyDirectory === 0) return undefined;
  const root = openRootDirectory(realPath);
  try {
    if (readlinkSync(`${openFiles}/${root}`) === realPath) return root;
  } catch {
    // The platform has no such links.
  }
  closeSync(root);
  return undefined;
}

/**
 * Whether a path is Git's own directory, the file that takes its place, or below it: by the rules of Git, which also counts names that some
 * file systems take for `.git`.
 */
export function isInGitDirectory(path: string): boolean {
  return path.split('/').some((segment) => {
    const name = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase();
    return name === '.git' || name === 'git~1';
  });
}
