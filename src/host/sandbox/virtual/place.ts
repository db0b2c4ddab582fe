import type { FileStat, Filesystem } from '../../../core/filesystem/index.ts';
import { ShellFileError } from './file-error.ts';

/** A path of the sandbox: which file system serves it, and its path there. */
export interface Place {
  readonly files: Filesystem;
  readonly path: string;
  readonly absolute: string;
}

/** @throws {ShellFileError} ENOENT. */
export async function statPlace({ files, path, absolute }: Place, call: string): Promise<FileStat> {
  const found = await files.stat(path);
  if (found === undefined) throw new ShellFileError('ENOENT', call, absolute);
  return found;
}
