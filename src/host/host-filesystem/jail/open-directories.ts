import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { noFollow, onlyDirectory, openFiles } from '../../disk/open-flags.ts';
import { identityOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { changedOnDiskError, NoDirectoryError } from './disk-error.ts';

/** Segments of a path below the root; none for the root itself. */
export type Segments = readonly string[];

/** Returns the host path of a name in an open directory; without a name, of the directory. */
export type PathOf = (name?: string) => string;

const readDirectory = constants.O_RDONLY | onlyDirectory | noFollow;

interface OpenDirectory {
  readonly segments: Segments;
  readonly file: number;
}

/** A directory that stays open from one access to the next. */
interface HeldDirectory extends OpenDirectory {
  /** The number of accesses that are using it. */
  users: number;
  /** Whether an access used it that had not opened it. */
  isReused: boolean;
}

/** The directories below an open root. Each one on a path is opened relative to the one before it, never through a link. */
export class OpenDirectories {
  readonly root: number;
  #keepsOpen = false;
  #held: HeldDirectory | undefined;
  /** The directory of the file that was read last, open until the running code waits or works elsewhere. */
  #lastRead: OpenDirectory | undefined;

  /** @param root the open root, which is closed with this. */
  constructor(root: number) {
    this.root = root;
  }

  close(): void {
    this.#closeLastRead();
    closeSync(this.root);
  }

  /**
   * Opens a directory while `use` works in it.
   * @throws {NoDirectoryError} when it, or a directory on the way to it, is gone, a file or a link.
   * @throws the error of the operating system, and what `use` throws.
   */
  within<Result>(directory: Segments, use: (pathOf: PathOf) => Result): Result {
    // Whatever is done there may move the directory that is open.
    this.#closeLastRead();
    if (directory.length === 0) return use(pathsIn(this.root));
    const isInUse = this.#held !== undefined && this.#held.users > 0;
    if (this.#keepsOpen && (!isInUse || isAt(this.#held, directory))) return this.#withinHeld(directory, use);
    const file = openBelow(this.root, directory);
    try {
      return use(pathsIn(file));
    } finally {
      closeSync(file);
    }
  }

  /**
   * {@link within}, to read one file: the directory stays open for the files that are read next, as a search reads those of one directory after
   * another, until the running code waits or `within` is called.
   */
  reading<Result>(directory: Segments, use: (pathOf: PathOf) => Result): Result {
    if (this.#keepsOpen) return this.within(directory, use);
    if (directory.length === 0) return use(pathsIn(this.root));
    if (this.#lastRead !== undefined && isAt(this.#lastRead, directory))
      return use(pathsIn(this.#lastRead.file));
    this.#closeLastRead();
    const opened = { segments: directory, file: openBelow(this.root, directory) };
    this.#lastRead = opened;
    queueMicrotask(() => {
      if (this.#lastRead === opened) this.#closeLastRead();
    });
    return use(pathsIn(opened.file));
  }

  /** See `HostJail.keepingOpen`. */
  keepingOpen<Result>(act: () => Result): Result {
    if (this.#keepsOpen) return act();
    this.#closeLastRead();
    this.#keepsOpen = true;
    try {
      const result = act();
      this.#leave();
      return result;
    } finally {
      this.#keepsOpen = false;
      if (this.#held !== undefined) closeSync(this.#held.file);
      this.#held = undefined;
    }
  }

  #withinHeld<Result>(directory: Segments, use: (pathOf: PathOf) => Result): Result {
    let held = this.#held;
    if (held !== undefined && isAt(held, directory)) held.isReused = true;
    else {
      this.#leave();
      held = { segments: directory, file: openBelow(this.root, directory), users: 0, isReused: false };
      this.#held = held;
    }
    held.users += 1;
    try {
      return use(pathsIn(held.file));
    } finally {
      held.users -= 1;
    }
  }

  #closeLastRead(): void {
    const last = this.#lastRead;
    this.#lastRead = undefined;
    if (last !== undefined) closeSync(last.file);
  }

  /** @throws {FilesystemError} `file-changed-on-disk` when the path of the held directory leads elsewhere by now. */
  #leave(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    try {
      if (held.isReused && !this.#isInPlace(held)) throw changedOnDiskError(held.segments.join('/'));
    } finally {
      closeSync(held.file);
    }
  }

  #isInPlace({ segments, file }: HeldDirectory): boolean {
    let found: number;
    try {
      found = openBelow(this.root, segments);
    } catch (error) {
      if (error instanceof NoDirectoryError) return false;
      throw error;
    }
    try {
      return identityOf(fstatSync(found, { bigint: true })) === identityOf(fstatSync(file, { bigint: true }));
    } finally {
      closeSync(found);
    }
  }
}

function isAt(open: OpenDirectory | undefined, directory: Segments): boolean {
  const segments = open?.segments;
  return segments?.length === directory.length && segments.every((name, at) => name === directory[at]);
}

/** Opens the root itself. @throws the error of the operating system. */
export function openRootDirectory(realPath: string): number {
  return openSync(realPath, readDirectory);
}

/** Paths are normalized long before; this is the last line of defense. */
export function assertSegment(segment: string): string {
  if (
    segment === '' ||
    segment === '.' ||
    segment === '..' ||
    segment.includes('/') ||
    segment.includes('\0')
  ) {
    throw new TypeError('A segment of a path must be a name.');
  }
  return segment;
}

function pathsIn(directory: number): PathOf {
  const anchor = `${openFiles}/${directory}`;
  return (name) => (name === undefined ? anchor : `${anchor}/${assertSegment(name)}`);
}

/** Opens a directory below the root, each one on the way relative to the one before it. */
function openBelow(root: number, segments: Segments): number {
  let open = root;
  for (const segment of segments) {
    try {
      const next = openDirectory(`${openFiles}/${open}/${segment}`);
      if (open !== root) closeSync(open);
      open = next;
    } catch (error) {
      if (open !== root) closeSync(open);
      throw error;
    }
  }
  return open;
}

function openDirectory(path: string): number {
  try {
    return openSync(path, readDirectory);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') throw new NoDirectoryError();
    throw error;
  }
}
