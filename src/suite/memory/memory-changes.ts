import { FilesystemError } from '../../core/error/index.ts';
import { applyTextEdits, encodeText, insertLines, pathError } from '../../core/filesystem/index.ts';
import { counted, quoteText } from '../../core/internal/index.ts';
import type { ReadonlySliceAccessor } from '../../core/session/index.ts';
import type { MemoryFile } from './memory-files.ts';
import { foldersOf, memoryRoot } from './memory-path.ts';

/** The memory as a command finds it. */
export type MemoryFiles = Pick<ReadonlySliceAccessor<MemoryFile>, 'all' | 'get'>;

/** What a command does: first files are removed, then others are written. */
export interface MemoryChange {
  readonly removed: readonly string[];
  readonly written: readonly MemoryFile[];
}

/** A file with this text. @throws {FilesystemError} `argument-invalid` for half of a surrogate pair. */
export function memoryFileOf(path: string, text: string): MemoryFile {
  return { path, text, bytes: encodeText(text, path).byteLength };
}

/** The files below a folder, which is there when there are any. */
export function filesBelow(files: MemoryFiles, folder: string): readonly MemoryFile[] {
  return files.all().filter(({ path }) => path.startsWith(`${folder}/`));
}

/** @throws {FilesystemError} `path-not-found`. */
export function notFound(path: string): FilesystemError {
  return pathError(
    'path-not-found',
    path,
    `does not exist. View ${quoteText(memoryRoot)} to see which files there are.`,
  );
}

function requireFile(files: MemoryFiles, path: string): MemoryFile {
  const file = files.get(path);
  if (file !== undefined) return file;
  if (path !== memoryRoot && filesBelow(files, path).length === 0) throw notFound(path);
  throw pathError('path-is-directory', path, 'is a directory. View it and name one of its files.');
}

/** Refuses a path at which something is, or which leads through a file. */
function assertFree(files: MemoryFiles, path: string, advice: string): void {
  for (const folder of foldersOf(path)) {
    if (files.get(folder) !== undefined)
      throw pathError(
        'path-not-directory',
        folder,
        `is a file, so that nothing can be below it. Choose another path than ${quoteText(path)}.`,
      );
  }
  const isFile = files.get(path) !== undefined;
  if (isFile || path === memoryRoot || filesBelow(files, path).length > 0)
    throw pathError(
      'path-taken',
      path,
      `exists already, as a ${isFile ? 'file' : 'directory'}. ${isFile ? advice : 'Choose another path.'}`,
    );
}

function assertNotRoot(path: string, verb: string): void {
  if (path === memoryRoot)
    throw pathError(
      'argument-invalid',
      path,
      `is the whole memory and cannot be ${verb}. Name what is in it.`,
    );
}

/** The new file. Folders on its path come into being with it. */
export function createFile(files: MemoryFiles, path: string, text: string): MemoryChange {
  assertFree(files, path, 'Change it with str_replace or insert, or delete it first.');
  return { removed: [], written: [memoryFileOf(path, text)] };
}

/** The file with one piece of its text replaced, which must be in it exactly once. */
export function replaceText(
  files: MemoryFiles,
  path: string,
  replacement: { readonly oldText: string; readonly newText: string },
): MemoryChange {
  const file = requireFile(files, path);
  if (replacement.oldText === '')
    throw pathError('argument-invalid', path, 'was not changed: old_str is empty. Give the text to replace.');
  if (replacement.oldText === replacement.newText)
    throw pathError('argument-invalid', path, 'was not changed: old_str and new_str are the same.');
  try {
    return changed(file, applyTextEdits(path, file.text, [replacement]).text);
  } catch (error) {
    throw FilesystemError.isInstance(error) ? replaceRefusal(path, error) : error;
  }
}

function replaceRefusal(path: string, error: FilesystemError): FilesystemError {
  const { lines, occurrences } = error.details;
  if (error.code === 'edit-not-found')
    return pathError(
      error.code,
      path,
      'was not changed: old_str does not occur in it. View it and copy the text exactly, with its indentation and without line numbers.',
    );
  if (error.code === 'edit-ambiguous' && Array.isArray(lines) && typeof occurrences === 'number')
    return pathError(
      error.code,
      path,
      `was not changed: old_str occurs ${counted(occurrences, 'time')} in it (lines ${lines.join(', ')}${occurrences > lines.length ? ' and further on' : ''}). Add lines around it until it is unique.`,
    );
  return error;
}

/** The file with lines put after the line of this number; 0 is its start. */
export function insertText(files: MemoryFiles, path: string, line: number, text: string): MemoryChange {
  const file = requireFile(files, path);
  // No text has a line after its last one, whose number the message says.
  const inserted = insertLines(file.text, line < 0 ? Number.POSITIVE_INFINITY : line, text);
  if (inserted.kind === 'inserted') return changed(file, inserted.text);
  throw pathError(
    'argument-invalid',
    path,
    `was not changed: insert_line is ${line}, and the file has ${counted(inserted.totalLines, 'line')}. Give 0 for its start, or the number of the line to insert after.`,
  );
}

function changed({ path }: MemoryFile, text: string): MemoryChange {
  return { removed: [], written: [memoryFileOf(path, text)] };
}

/** The file, or all files of a folder, gone. */
export function deletePath(files: MemoryFiles, path: string): MemoryChange {
  assertNotRoot(path, 'deleted');
  return { removed: requireAny(files, path).map((file) => file.path), written: [] };
}

/** The file, or all files of a folder, at another path. */
export function renamePath(
  files: MemoryFiles,
  oldPath: string,
  newPath: string,
  /** @throws {FilesystemError} for a path that cannot be used. */
  checkPath: (path: string) => string,
): MemoryChange {
  assertNotRoot(oldPath, 'renamed');
  const moved = requireAny(files, oldPath);
  if (newPath.startsWith(`${oldPath}/`))
    throw pathError(
      'argument-invalid',
      oldPath,
      `cannot be moved into itself: ${quoteText(newPath)} is in it.`,
    );
  assertFree(files, newPath, 'Delete it first, or choose another path.');
  return {
    removed: moved.map(({ path }) => path),
    written: moved.map((file) => ({ ...file, path: checkPath(newPath + file.path.slice(oldPath.length)) })),
  };
}

function requireAny(files: MemoryFiles, path: string): readonly MemoryFile[] {
  const file = files.get(path);
  const found = file === undefined ? filesBelow(files, path) : [file];
  if (found.length === 0) throw notFound(path);
  return found;
}
