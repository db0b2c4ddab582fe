import { posix } from 'node:path';
import type { RemoteCalls } from '../../remote/index.ts';
import type { ShellEncoding, ShellEntry, ShellStat } from './just-bash.ts';
import type { ServedFunctions, WireStat } from './protocol.ts';

/** An operation on the files that a script has no right to, or that fails. */
export class FileRefusal extends Error {}

/** The file system of the package, in memory, with the files that the shell makes for itself: what is used of it. */
export interface ShellMemory
  extends Pick<
    ShellFiles,
    'readFileBuffer' | 'exists' | 'stat' | 'lstat' | 'readdirWithFileTypes' | 'readlink' | 'realpath'
  > {
  mkdirSync(path: string, options?: { readonly recursive?: boolean }): void;
}

/**
 * What the scripts of one command see: `/workspace`, `/tmp` and `/skills`, which our thread serves, and around them what the shell has for itself, in
 * memory and read-only. There is nothing else: no operation has a path of the machine. The interpreter asks for the methods of Node's file system, and
 * finds the code of a system call at the beginning of an error.
 */
export class ShellFiles {
  readonly #base: ShellMemory;
  readonly #calls: RemoteCalls<ServedFunctions>;
  readonly #stdin: Uint8Array;

  constructor(base: ShellMemory, calls: RemoteCalls<ServedFunctions>, stdin: Uint8Array) {
    this.#base = base;
    this.#calls = calls;
    this.#stdin = stdin;
  }

  async readFile(path: string, options?: ShellEncoding): Promise<string> {
    return Buffer.from(await this.readFileBuffer(path)).toString(encodingOf(options));
  }

  async readFileBytes(path: string): Promise<string> {
    return Buffer.from(await this.readFileBuffer(path)).toString('latin1');
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    if (isServed(path)) return this.#calls.call('read', path);
    return stdinPaths.has(path) ? this.#stdin : this.#base.readFileBuffer(path);
  }

  async writeFile(path: string, content: string | Uint8Array, options?: ShellEncoding): Promise<void> {
    if (path === '/dev/null') return;
    if (!isServed(path)) throw readOnly('open', path);
    await this.#calls.call('write', path, dataOf(content, options));
  }

  async appendFile(path: string, content: string | Uint8Array, options?: ShellEncoding): Promise<void> {
    if (path === '/dev/null') return;
    if (!isServed(path)) throw readOnly('open', path);
    await this.#calls.call('append', path, dataOf(content, options));
  }

  async exists(path: string): Promise<boolean> {
    if (!isServed(path)) return this.#base.exists(path);
    return this.stat(path).then(
      () => true,
      () => false,
    );
  }

  async stat(path: string): Promise<ShellStat> {
    return isServed(path) ? stat(await this.#calls.call('stat', path)) : this.#base.stat(path);
  }

  async lstat(path: string): Promise<ShellStat> {
    return isServed(path) ? stat(await this.#calls.call('lstat', path)) : this.#base.lstat(path);
  }

  async mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    const { recursive = false } = options;
    if (isServed(path)) await this.#calls.call('mkdir', path, recursive);
    else if (!(await this.#base.exists(path))) throw readOnly('mkdir', path);
    else if (!recursive) throw new FileRefusal(`EEXIST: file already exists, mkdir '${path}'`);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<ShellEntry[]> {
    return isServed(path)
      ? [...(await this.#calls.call('list', path))]
      : this.#base.readdirWithFileTypes(path);
  }

  async rm(
    path: string,
    options: { readonly recursive?: boolean; readonly force?: boolean } = {},
  ): Promise<void> {
    const { recursive = false, force = false } = options;
    if (isServed(path)) await this.#calls.call('rm', path, recursive, force);
    else if (!force || (await this.#base.exists(path))) throw readOnly('rm', path);
  }

  async cp(
    from: string,
    to: string,
    { recursive = false }: { readonly recursive?: boolean } = {},
  ): Promise<void> {
    if (!isServed(to)) throw readOnly('cp', to);
    if (isServed(from)) await this.#calls.call('cp', from, to, recursive);
    else await this.writeFile(to, await this.#base.readFileBuffer(from));
  }

  async mv(from: string, to: string): Promise<void> {
    const outside = [from, to].find((path) => !isServed(path));
    if (outside !== undefined) throw readOnly('mv', outside);
    await this.#calls.call('mv', from, to);
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve('/', base, path);
  }

  /** Used only for a pattern that the shell left to `grep` to expand, which no other `grep` does. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    if (!isServed(path)) throw readOnly('chmod', path);
    await this.#calls.call('chmod', path, mode);
  }

  symlink(_target: string, path: string): Promise<void> {
    return Promise.reject(
      new FileRefusal(`ENOTSUP: symbolic links are not supported in this workspace, symlink '${path}'`),
    );
  }

  link(_existing: string, path: string): Promise<void> {
    return Promise.reject(
      new FileRefusal(`ENOTSUP: hard links are not supported in this workspace, link '${path}'`),
    );
  }

  async readlink(path: string): Promise<string> {
    return isServed(path) ? this.#calls.call('readlink', path) : this.#base.readlink(path);
  }

  async realpath(path: string): Promise<string> {
    return isServed(path) ? this.#calls.call('realpath', path) : this.#base.realpath(path);
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    if (!isServed(path)) throw readOnly('utimes', path);
    await this.#calls.call('utimes', path, modified.getTime());
  }
}

const stdinPaths: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);
const encodings: ReadonlySet<string> = new Set([
  'utf8',
  'utf-8',
  'ascii',
  'binary',
  'base64',
  'hex',
  'latin1',
]);

/** Whether our thread serves a path. */
function isServed(path: string): boolean {
  const [, top] = posix.resolve('/', path).split('/', 2);
  return top === 'workspace' || top === 'tmp' || top === 'skills';
}

function isEncoding(name: unknown): name is BufferEncoding {
  return typeof name === 'string' && encodings.has(name);
}

function encodingOf(options: ShellEncoding): BufferEncoding {
  const name = typeof options === 'object' ? options.encoding : options;
  return isEncoding(name) ? name : 'utf8';
}

function dataOf(content: string | Uint8Array, options: ShellEncoding): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, encodingOf(options)) : content;
}

function readOnly(call: string, path: string): Error {
  return new FileRefusal(`EROFS: read-only file system, ${call} '${path}'`);
}

function stat({ modifiedAtMs, ...rest }: WireStat): ShellStat {
  return { ...rest, mtime: new Date(modifiedAtMs) };
}
