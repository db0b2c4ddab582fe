import { ShellFileError } from './file-error.ts';
import { type Place, statPlace } from './place.ts';

/** Called with the number of bytes before they are written; throws when there are too many. */
type CountBytes = (bytes: number) => void;

/**
 * Copies a file, or a directory into a new or an existing one, as `cp -r` does with the contents.
 * @throws {ShellFileError} or what the file systems throw.
 */
export async function copyPath(
  from: Place,
  to: Place,
  isRecursive: boolean,
  count: CountBytes,
): Promise<void> {
  const source = await statPlace(from, 'cp');
  const target = await to.files.stat(to.path);
  if (source.kind === 'directory' && !isRecursive) throw new ShellFileError('EISDIR', 'cp', from.absolute);
  if (isInside(from, to)) throw new ShellFileError('EINVAL', 'cp', from.absolute);
  // Shares the content: a tree of any size is copied at once. A link must be followed.
  if (target === undefined && from.files === to.files && source.link === undefined) {
    await from.files.copy(from.path, to.path);
    return;
  }
  if (source.kind !== 'directory') {
    const data = await from.files.readBytes(from.path);
    count(data.byteLength);
    await to.files.write(to.path, data);
    return;
  }
  if (target === undefined) await to.files.mkdir(to.path);
  else if (target.kind !== 'directory') throw new ShellFileError('ENOTDIR', 'cp', to.absolute);
  for (const { name } of await from.files.list(from.path)) {
    await copyPath(childOf(from, name), childOf(to, name), true, count);
  }
}

/**
 * Renames a file or directory; an existing file, or an empty directory, is replaced by one of its kind.
 * @throws {ShellFileError} or what the file systems throw.
 */
export async function movePath(from: Place, to: Place, count: CountBytes): Promise<void> {
  if (from.absolute === to.absolute) return;
  const source = await statPlace(from, 'mv');
  if (from.path === '.' || to.path === '.') throw new ShellFileError('EBUSY', 'mv', from.absolute);
  if (isInside(from, to)) throw new ShellFileError('EINVAL', 'mv', from.absolute);
  const target = await to.files.stat(to.path);
  const isDirectory = source.kind === 'directory';
  if (target !== undefined) {
    if (isDirectory && target.kind !== 'directory') throw new ShellFileError('ENOTDIR', 'mv', to.absolute);
    if (!isDirectory && target.kind === 'directory') throw new ShellFileError('EISDIR', 'mv', to.absolute);
    await to.files.remove(to.path);
  }
  if (from.files === to.files) {
    await from.files.move(from.path, to.path);
    return;
  }
  await copyPath(from, to, true, count);
  await from.files.remove(from.path, { recursive: true });
}

function childOf({ files, path, absolute }: Place, name: string): Place {
  return { files, path: path === '.' ? name : `${path}/${name}`, absolute: `${absolute}/${name}` };
}

function isInside(from: Place, to: Place): boolean {
  return to.absolute.startsWith(`${from.absolute}/`);
}
