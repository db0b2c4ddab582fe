import { FilesystemError, listOf, type OptionRule } from '../../core/error/index.ts';
import {
  type Filesystem,
  normalizePath,
  type TextWindow,
  type TextWindowOptions,
} from '../../core/filesystem/index.ts';
import { counted, formatNumber } from '../../core/internal/index.ts';
import { type MediaPart, mediaFormatOf, type ToolFailure, ToolResult } from '../../core/tool/index.ts';
import { quote } from './text.ts';

/** A kind of file that `read_file` can attach: `image` is PNG, JPEG, GIF or WebP. */
export type VfsAttachmentKind = 'image' | 'pdf';

/** What the option `attachments` must be. */
export const attachmentsCheck: OptionRule<readonly VfsAttachmentKind[]> = listOf(
  (kind) => kind === 'image' || kind === 'pdf',
  "a list of 'image' and 'pdf'",
);

/** The attached kinds of files as the subject of a sentence; undefined when there are none. */
export function describeKinds(kinds: ReadonlySet<VfsAttachmentKind>): string | undefined {
  if (kinds.size === 0) return undefined;
  if (!kinds.has('image')) return 'A PDF';
  return kinds.has('pdf') ? 'An image or a PDF' : 'An image';
}

/** A file as the model gets it. */
export interface FileAttachment {
  /** Normalised. */
  readonly path: string;
  readonly part: MediaPart;
  readonly bytes: number;
}

/** What kinds of files are attached, and up to which size. */
export interface AttachmentRules {
  readonly kinds: ReadonlySet<VfsAttachmentKind>;
  readonly maxBytes: number;
}

/**
 * The text of a file; or the file as an attachment when it is of a kind that is attached, a failure when it is too large for that.
 * A PDF that holds nothing but text is attached too, as long as it is read from its start.
 * @throws {FilesystemError} as `Filesystem.read`.
 */
export async function readOrAttach(
  filesystem: Filesystem,
  path: string,
  window: TextWindowOptions & { readonly offset: number },
  rules: AttachmentRules,
): Promise<TextWindow | FileAttachment | ToolFailure> {
  try {
    const read = await filesystem.read(path, window);
    if (!rules.kinds.has('pdf') || window.offset > 0 || !read.text.startsWith('%PDF-')) return read;
    return (await readAttachment(filesystem, path, rules)) ?? read;
  } catch (error) {
    if (!FilesystemError.isInstance(error) || error.code !== 'file-not-text') throw error;
    const attachment = await readAttachment(filesystem, path, rules);
    if (attachment === undefined) throw error;
    return attachment;
  }
}

/** Undefined for a file of no kind that is attached. */
async function readAttachment(
  filesystem: Filesystem,
  given: string,
  { kinds, maxBytes }: AttachmentRules,
): Promise<FileAttachment | ToolFailure | undefined> {
  if (kinds.size === 0) return undefined;
  const data = await filesystem.readBytes(given);
  const format = mediaFormatOf(data);
  if (format === undefined || !kinds.has(format.kind)) return undefined;
  const { kind, mediaType } = format;
  const path = normalizePath(given);
  const bytes = data.byteLength;
  if (bytes > maxBytes) {
    return ToolResult.error(
      `${quote(path)} (${mediaType}) has ${counted(bytes, 'byte')}; files of more than ${formatNumber(maxBytes)} bytes are not attached. Continue without its content.`,
    );
  }
  const base64 = encodeBase64(data);
  const part: MediaPart =
    kind === 'image'
      ? { type: 'image', mediaType, data: base64 }
      : { type: 'file', mediaType, data: base64, name: path.slice(path.lastIndexOf('/') + 1) };
  return { path, part, bytes };
}

/** Bytes of one piece: a multiple of three, so that only the last piece is padded. */
const pieceBytes = 24_576;

function encodeBase64(data: Uint8Array): string {
  let text = '';
  for (let start = 0; start < data.byteLength; start += pieceBytes) {
    text += btoa(String.fromCharCode(...data.subarray(start, start + pieceBytes)));
  }
  return text;
}
