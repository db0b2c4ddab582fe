import { type Filesystem, type FilesystemFork, MemoryFilesystem } from '../../../core/filesystem/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import { temporaryBytes } from '../backend/sandbox-limits.ts';
import type { StagedView } from '../backend/staged-sandbox.ts';
import { FileAttributes } from './attributes.ts';
import { collectFork } from './collect-fork.ts';
import { ShellFileError, shellFileError } from './file-error.ts';
import type { ShellEntry } from './just-bash.ts';
import { type Place, statPlace } from './place.ts';
import type { SandboxFileOperations, WireStat } from './protocol.ts';
import { copyPath, movePath } from './transfer.ts';

/** Bytes that the commands of one sandbox can write: they are kept in the memory of this process. */
const maxWrittenBytes = 536_870_912;
const modeBits = 0o7777;

/**
 * The files of one sandbox: a fork of the call's file system at `/workspace`, a folder in memory at `/tmp`, and files of skills at `/skills`. Files are read when a
 * command reads them, and count as read by the call.
 *
 * What arrives here was asked for by a thread that runs scripts of unknown origin: every path is checked by the file system itself.
 */
export class VirtualFiles implements StagedView {
  readonly #filesystem: Filesystem;
  readonly #temporary: Filesystem;
  readonly #skills: Filesystem | undefined;
  readonly #maxFileBytes: number;
  readonly #attributes = new FileAttributes();
  #fork: FilesystemFork;
  #writtenBytes = 0;

  /** @param skills what is at `/skills`, where nothing can be written. */
  constructor(filesystem: Filesystem, maxFileBytes: number, skills?: Filesystem) {
    this.#filesystem = filesystem;
    this.#skills = skills?.fork({ readOnly: true }).view;
    this.#maxFileBytes = maxFileBytes;
    this.#fork = filesystem.fork();
    this.#temporary = new MemoryFilesystem({ maxBytes: temporaryBytes, maxFileBytes, maxFiles: 100_000 });
  }

  /** Whether a directory of the workspace exists. */
  async hasDirectory(path: string): Promise<boolean> {
    return (await this.#fork.view.stat(path))?.kind === 'directory';
  }

  /**
   * What commands ask for.
   * @throws {ShellFileError} what the command sees.
   * @throws {TransactionClosedError} when the call has ended, and what the file system itself throws.
   */
  readonly operations: SandboxFileOperations = withShellErrors({
    read: async (absolute) => {
      const { files, path } = this.#place(absolute);
      return files.readBytes(path);
    },
    stat: (path) => this.#stat(path, 'stat'),
    lstat: (path) => this.#stat(path, 'lstat'),
    list: (path) => this.#list(path),
    readlink: (path) => this.#readlink(path),
    realpath: (path) => this.#realpath(path),
    write: (path, data) => this.#write(path, data, false),
    append: (path, data) => this.#write(path, data, true),
    mkdir: (path, isRecursive) => this.#mkdir(path, isRecursive),
    rm: (path, isRecursive, isForced) => this.#remove(path, isRecursive, isForced),
    cp: async (source, target, isRecursive) => {
      const [from, to] = [this.#place(source), this.#place(target)];
      await this.#assertParent(to, 'cp');
      await copyPath(from, to, isRecursive, (bytes) => this.#count(bytes, to));
      this.#attributes.copy(from.absolute, to.absolute);
    },
    mv: async (source, target) => {
      const [from, to] = [this.#place(source), this.#place(target)];
      await this.#assertParent(to, 'mv');
      await movePath(from, to, (bytes) => this.#count(bytes, to));
      this.#attributes.move(from.absolute, to.absolute);
    },
    chmod: async (path, mode) =>
      this.#attributes.setMode(await this.#existing(path, 'chmod'), mode & modeBits),
    utimes: async (path, modifiedAtMs) =>
      this.#attributes.setModified(await this.#existing(path, 'utimes'), modifiedAtMs),
  });

  async collect(): Promise<StagedFolderReport> {
    const report = await collectFork(this.#filesystem, this.#fork, this.#attributes.changedModes());
    const collected = this.#fork;
    this.#fork = this.#filesystem.fork();
    collected.dispose();
    return report;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#fork.dispose();
    return Promise.resolve();
  }

  #place(absolute: string): Place {
    const [, top = '', ...rest] = absolute.split('/');
    const path = rest.length === 0 ? '.' : rest.join('/');
    const files = this.#filesOf(top);
    if (files === undefined) throw new ShellFileError('ENOENT', 'open', absolute);
    return { files, path: path === '' ? '.' : path, absolute };
  }

  #filesOf(top: string): Filesystem | undefined {
    if (top === 'workspace') return this.#fork.view;
    if (top === 'skills') return this.#skills;
    return top === 'tmp' ? this.#temporary : undefined;
  }

  async #stat(absolute: string, call: 'stat' | 'lstat'): Promise<WireStat> {
    const place = this.#place(absolute);
    const found = await statPlace(place, call);
    const isLink = call === 'lstat' && found.link !== undefined;
    if (found.kind === 'link' && !isLink) throw new ShellFileError('ENOENT', call, absolute);
    const isDirectory = !isLink && found.kind === 'directory';
    return {
      isFile: !isLink && found.kind === 'file',
      isDirectory,
      isSymbolicLink: isLink,
      size: found.bytes,
      // There are no hard links, so a path without links is a file.
      identity: isLink ? absolute : realPath(absolute, found.path),
      mode: isLink ? 0o777 : (this.#attributes.mode(absolute) ?? (isDirectory ? 0o755 : 0o644)),
      modifiedAtMs: this.#attributes.modifiedAtMs(absolute) ?? found.modifiedAtMs,
    };
  }

  async #list(absolute: string): Promise<readonly ShellEntry[]> {
    const { files, path } = this.#place(absolute);
    return (await files.list(path)).map(({ name, kind, link }) => ({
      name,
      isFile: link === undefined && kind === 'file',
      isDirectory: link === undefined && kind === 'directory',
      isSymbolicLink: link !== undefined,
    }));
  }

  async #readlink(absolute: string): Promise<string> {
    const { link } = await statPlace(this.#place(absolute), 'readlink');
    if (link === undefined) throw new ShellFileError('EINVAL', 'readlink', absolute);
    // Where it leads outside of the workspace is not for commands.
    if (!('path' in link)) throw new ShellFileError('EACCES', 'readlink', absolute);
    return `/workspace/${link.path}`;
  }

  async #realpath(absolute: string): Promise<string> {
    const found = await statPlace(this.#place(absolute), 'realpath');
    if (found.kind === 'link') throw new ShellFileError('ENOENT', 'realpath', absolute);
    return realPath(absolute, found.path);
  }

  async #write(absolute: string, data: Uint8Array, isAppended: boolean): Promise<undefined> {
    const place = this.#place(absolute);
    await this.#assertParent(place, 'open');
    const present = isAppended ? ((await place.files.stat(place.path))?.bytes ?? 0) : 0;
    if (present + data.byteLength > this.#maxFileBytes) throw new ShellFileError('EFBIG', 'write', absolute);
    this.#count(data.byteLength, place);
    await place.files.write(place.path, data, { mode: isAppended ? 'append' : 'overwrite' });
    this.#attributes.forgetModified(absolute);
    return undefined;
  }

  async #mkdir(absolute: string, isRecursive: boolean): Promise<undefined> {
    const place = this.#place(absolute);
    if (!isRecursive) {
      if ((await place.files.stat(place.path)) !== undefined)
        throw new ShellFileError('EEXIST', 'mkdir', absolute);
      await this.#assertParent(place, 'mkdir');
    }
    await place.files.mkdir(place.path);
    return undefined;
  }

  async #remove(absolute: string, isRecursive: boolean, isForced: boolean): Promise<undefined> {
    const { files, path } = this.#place(absolute);
    if (path === '.') throw new ShellFileError('EBUSY', 'rm', absolute);
    if (isForced && (await files.stat(path)) === undefined) return undefined;
    await files.remove(path, { recursive: isRecursive });
    return this.#attributes.remove(absolute);
  }

  async #existing(absolute: string, call: string): Promise<string> {
    await statPlace(this.#place(absolute), call);
    return absolute;
  }

  /** The file systems create missing parents; system calls do not. */
  async #assertParent({ files, path, absolute }: Place, call: string): Promise<void> {
    const end = path.lastIndexOf('/');
    if (end === -1) return;
    const parent = await files.stat(path.slice(0, end));
    if (parent === undefined) throw new ShellFileError('ENOENT', call, absolute);
    if (parent.kind !== 'directory') throw new ShellFileError('ENOTDIR', call, absolute);
  }

  #count(bytes: number, { absolute }: Place): void {
    this.#writtenBytes += bytes;
    if (this.#writtenBytes > maxWrittenBytes) throw new ShellFileError('ENOSPC', 'write', absolute);
  }
}

/** The operations with errors as a command sees them, which have the name of the operation. */
function withShellErrors(operations: SandboxFileOperations): SandboxFileOperations {
  const wrapped = Object.entries(operations).map(([name, operation]) => {
    const wrap = async (path: string, ...others: readonly unknown[]): Promise<unknown> => {
      try {
        return await Reflect.apply(operation, undefined, [path, ...others]);
      } catch (error) {
        throw shellFileError(error, name, path) ?? error;
      }
    };
    return [name, wrap] as const;
  });
  // They have the parameters and results of those that they wrap.
  return Object.fromEntries(wrapped) as unknown as SandboxFileOperations;
}

/** A path of the sandbox without links. @param path where it leads, in its file system. */
function realPath(absolute: string, path: string): string {
  const top = absolute.split('/', 2).join('/');
  return path === '.' ? top : `${top}/${path}`;
}
