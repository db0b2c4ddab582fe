import { constants, type Dirent, existsSync } from 'node:fs';
import { chmod, type FileHandle, lstat, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { none } from '../../core/internal/index.ts';
import { systemClock } from '../../core/session/index.ts';
import { noFollow, onlyDirectory, openFiles } from './open-flags.ts';
import { errorCode } from './system-error.ts';

/** How many directories are open one inside of the other. */
const maxLevels = 16;
/** Where a path starts at the root and not at an open directory, what is below one of this length is moved up: macOS takes 1,024 bytes. */
const maxPathBytes = 250;
/** How many files are removed at the same time. */
const filesAtOnce = 16;
/** A process that is just exiting may still add files. */
const attempts = 6;
const pauseMs = 20;

/**
 * Removes a folder and all below it, of any depth, with names of any bytes, and with directories that their owner may not open. No link is followed. What is too deep is
 * first moved up to the folder. Each step is short, so timers and input have their turn. A missing folder is ignored.
 *
 * @param options.last a file of the folder that is removed after everything else. Default: there is none.
 * @param options.byHandle whether each step starts at an open directory, so that no other process can redirect it. Default: on Linux.
 * @throws the error of the operating system when something cannot be removed.
 */
export async function removeTree(
  path: string,
  {
    last,
    byHandle = onlyDirectory !== 0 && existsSync(openFiles),
  }: { readonly last?: string; readonly byHandle?: boolean } = {},
): Promise<void> {
  const top = await openClosed(Buffer.from(path), byHandle);
  if (top !== undefined) {
    try {
      await new TreeRemoval(top, byHandle, last).run();
    } finally {
      await top.close();
    }
  }
  if (last !== undefined) await rm(`${path}/${last}`, { force: true });
  await rm(path, { recursive: true, force: true, maxRetries: attempts, retryDelay: pauseMs });
}

/** A directory, kept open where the platform supports that. */
interface OpenDirectory {
  readonly path: Buffer;
  close(): Promise<void>;
}

class TreeRemoval {
  readonly #top: OpenDirectory;
  readonly #byHandle: boolean;
  readonly #last: Buffer | undefined;
  /** Names of directories that were moved up. */
  readonly #moved: Buffer[] = [];

  constructor(top: OpenDirectory, byHandle: boolean, last: string | undefined) {
    this.#top = top;
    this.#byHandle = byHandle;
    this.#last = last === undefined ? undefined : Buffer.from(last);
  }

  async run(): Promise<void> {
    await this.#empty(this.#top, 0);
    for (let next = this.#moved.pop(); next !== undefined; next = this.#moved.pop())
      await this.#remove(below(this.#top, next), 1);
  }

  async #empty(directory: OpenDirectory, level: number): Promise<void> {
    const { files, directories } = await this.#list(directory, level);
    const remaining = files.values();
    const removeFiles = async (): Promise<void> => {
      for (const name of remaining) await inWritable(directory, () => removeFile(below(directory, name)));
    };
    await Promise.all(Array.from({ length: filesAtOnce }, removeFiles));
    for (const name of directories) {
      const path = below(directory, name);
      if (level < maxLevels && directory.path.length < maxPathBytes)
        await inWritable(directory, () => this.#remove(path, level + 1));
      else await inWritable(directory, () => this.#moveUp(path));
    }
  }

  async #list(
    directory: OpenDirectory,
    level: number,
  ): Promise<{ readonly files: readonly Buffer[]; readonly directories: readonly Buffer[] }> {
    const files: Buffer[] = [];
    const directories: Buffer[] = [];
    // Node's types declare `opendir` for names that are strings only; with this encoding the names are bytes.
    const encoding = 'buffer' as BufferEncoding;
    const options = { encoding, bufferSize: 256 };
    // A path leads to nothing any more where another process was faster; an open directory is then empty.
    const stream: AsyncIterable<Dirent<string | Buffer>> | undefined = await opendir(
      directory.path,
      options,
    ).catch(ignoring('ENOENT', 'ENOTDIR'));
    for await (const entry of stream ?? none) {
      const name = Buffer.from(entry.name);
      if (level === 0 && this.#last?.equals(name) === true) continue;
      (entry.isDirectory() ? directories : files).push(name);
    }
    return { files, directories };
  }

  async #remove(path: Buffer, level: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const directory = await openClosed(path, this.#byHandle);
      if (directory === undefined) return;
      try {
        await this.#empty(directory, level);
      } finally {
        await directory.close();
      }
      try {
        await rmdir(path).catch(ignoring('ENOENT'));
        return;
      } catch (error) {
        if (errorCode(error) !== 'ENOTEMPTY' || attempt === attempts) throw error;
        await new Promise<void>((resolve) => void systemClock.schedule(pauseMs, resolve));
      }
    }
  }

  async #moveUp(path: Buffer): Promise<void> {
    const name = Buffer.from(`moved-${crypto.randomUUID()}`);
    const move = (): Promise<void> => rename(path, below(this.#top, name));
    try {
      // A directory that its owner may not write to cannot get another parent.
      await move().catch(repairing('EACCES', () => unlock(path), move));
      this.#moved.push(name);
    } catch (error) {
      ignoring('ENOENT')(error);
    }
  }
}

function below(directory: OpenDirectory, name: Buffer): Buffer {
  return Buffer.concat([directory.path, Buffer.from('/'), name]);
}

/** Opens a directory, also one that is closed to its owner; undefined when it is gone, or something else is in its place. */
async function openClosed(path: Buffer, byHandle: boolean): Promise<OpenDirectory | undefined> {
  if (!byHandle) {
    const found = await lstat(path).catch(ignoring('ENOENT'));
    if (found?.isDirectory() !== true) return undefined;
    if ((found.mode & 0o700) !== 0o700) await unlock(path);
    return { path, close: () => Promise.resolve() };
  }
  const attempt = (): Promise<FileHandle> => open(path, constants.O_RDONLY | onlyDirectory | noFollow);
  const handle = await attempt()
    .catch(repairing('EACCES', () => unlock(path), attempt))
    .catch(ignoring('ENOENT', 'ENOTDIR', 'ELOOP'));
  if (handle === undefined) return undefined;
  return { path: Buffer.from(`${openFiles}/${handle.fd}`), close: () => handle.close() };
}

/** Opens a directory to its owner; one that is gone needs it no more. */
async function unlock(path: Buffer): Promise<void> {
  await chmod(path, 0o700).catch(ignoring('ENOENT'));
}

/** Takes something out of a directory, which its owner may not be allowed to write to. */
async function inWritable(directory: OpenDirectory, take: () => Promise<void>): Promise<void> {
  await take().catch(repairing('EACCES', () => unlock(directory.path), take));
}

async function removeFile(path: Buffer): Promise<void> {
  const remove = (): Promise<void> => unlink(path);
  // Windows keeps files that are write-protected.
  const isKept = process.platform === 'win32' ? 'EPERM' : '';
  await remove()
    .catch(repairing(isKept, () => chmod(path, 0o600), remove))
    .catch(ignoring('ENOENT'));
}

/** For `catch`: after an error of this code something is repaired, and the operation is tried again. */
function repairing<Value>(
  code: string,
  repair: () => Promise<void>,
  again: () => Promise<Value>,
): (error: unknown) => Promise<Value> {
  return async (error) => {
    if (errorCode(error) !== code) throw error;
    await repair();
    return again();
  };
}

/** For `catch`: errors of these codes are ignored. Another process may remove the same folder. */
function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error;
    return undefined;
  };
}
