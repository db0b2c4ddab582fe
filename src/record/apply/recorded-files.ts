import { FilesystemError } from '../../core/error/index.ts';
import {
  emptyDirectory,
  type FileChange,
  type FileContent,
  type FileLink,
  type FileOperation,
  type FilePatch,
  type Filesystem,
  fileContent,
  fileNode,
  type LandableChange,
  normalizePath,
  type TreeNode,
} from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RecordedContent, RecordedFileChange } from '../fold/run-record.ts';
import { withContents } from '../format/row-parts.ts';

/** Whether rows have what was in a file. */
export function isKept({ isOmitted, text, base64 }: RecordedContent): boolean {
  return isOmitted !== true && (text !== undefined || base64 !== undefined);
}

/** @throws {RangeError} for a content that rows do not have. */
export function bytesOf(content: RecordedContent): Uint8Array {
  const { hash, text, base64 = '' } = content;
  if (!isKept(content)) throw new RangeError(`The rows lack the content ${hash}.`);
  if (text !== undefined) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** A content for people and policies; of one that rows do not have only the size is known. */
export function contentOf(content: RecordedContent): FileContent {
  if (isKept(content)) return fileContent(bytesOf(content));
  const { bytes } = content;
  return { bytes, text: () => undefined, data: () => new Uint8Array(bytes) };
}

/** A recorded change with its contents. */
export function fileChangeOf(change: RecordedFileChange): FileChange {
  return withContents(change, contentOf);
}

/** A recorded change, to be done again by content. */
export function landableChange({ before, after, ...change }: RecordedFileChange): LandableChange {
  return {
    ...change,
    ...present({
      before: before === undefined ? undefined : markOf(before),
      after: after === undefined ? undefined : { ...markOf(after), data: () => bytesOf(after) },
    }),
  };
}

function markOf({ hash, bytes }: RecordedContent): { readonly hash: string; readonly bytes: number } {
  return { hash, bytes };
}

/** When and of what files are made again. */
export interface FilePatchOptions {
  /** The time of the changes. */
  readonly atMs: number;
  /** Default: {@link bytesOf}. */
  readonly dataOf?: (content: RecordedContent) => Uint8Array;
}

/**
 * What makes recorded changes again in files: by content where these are on a disk, otherwise whatever is there.
 *
 * @returns undefined when something that they replace on a disk is not as it was.
 */
export function patchFor(
  filesystem: Pick<Filesystem, '~patchOf'>,
  changes: readonly RecordedFileChange[],
  options: FilePatchOptions,
): FilePatch | undefined {
  return filesystem['~patchOf'] === undefined
    ? filePatch(changes, options)
    : filesystem['~patchOf'](changes.map(landableChange));
}

/** The files that recorded changes left, whatever is there: removals first, since what was removed may have been in the way. */
export function filePatch(
  changes: readonly RecordedFileChange[],
  { atMs, dataOf = bytesOf }: FilePatchOptions,
): FilePatch {
  const removed = changes.filter(({ kind }) => kind === 'removed');
  // Whole directories before the files that are not in them.
  const paths = new Set(removed.map(({ path, removedWith }) => removedWith ?? path));
  const puts = changes.flatMap((change): readonly FileOperation[] => {
    const node = change.kind === 'removed' ? undefined : nodeOf(change, atMs, dataOf);
    return node === undefined ? [] : putOf(change, node);
  });
  return {
    changes: [...[...paths].map((path) => ({ op: 'remove' as const, path })), ...puts],
    '~isRecorded': true,
  };
}

/** A link may be where a directory was, and the other way around; a file that is replaced stays one. */
function putOf({ path, link, replacedLink }: RecordedFileChange, node: TreeNode): readonly FileOperation[] {
  const put: FileOperation = { op: 'put', path, node };
  return link === undefined && replacedLink === undefined ? [put] : [{ op: 'remove', path }, put];
}

function nodeOf(
  { path, entry, after, mode, link }: RecordedFileChange,
  atMs: number,
  dataOf: (content: RecordedContent) => Uint8Array,
): TreeNode | undefined {
  if (entry === 'directory') {
    if (link === undefined) return emptyDirectory;
    const target = targetOf(path, link) ?? '';
    return { ...emptyDirectory, link: { target, stamp: `recorded ${link}`, text: link } };
  }
  const data = after === undefined ? undefined : dataOf(after);
  if (link !== undefined)
    return { ...fileNode(data ?? new Uint8Array(), atMs), linkText: link, link: linkOf(path, link, data) };
  return data === undefined ? undefined : { ...fileNode(data, atMs), ...present({ mode }) };
}

function linkOf(path: string, text: string, data: Uint8Array | undefined): FileLink {
  const target = targetOf(path, text);
  if (target === undefined) return { leads: 'outside' };
  return data === undefined ? { leads: 'nowhere' } : { leads: 'file', path: target };
}

/** Where a link leads; undefined for outside. */
function targetOf(path: string, text: string): string | undefined {
  try {
    return text.startsWith('/') ? undefined : normalizePath(`${path}/../${text}`);
  } catch (error) {
    if (FilesystemError.isInstance(error)) return undefined;
    throw error;
  }
}
