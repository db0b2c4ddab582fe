import { counted, escapeInvisible, formatNumber, shorten } from '../../../core/internal/index.ts';
import { type MediaPart, mediaFormatOf } from '../../../core/tool/index.ts';
import type { McpAttachmentKind } from './mount-options.ts';

/** Some content that is not text, as a server sends it. */
export interface RemoteMedia {
  /** Base64. */
  readonly data: string;
  /** What the server says it is. */
  readonly mimeType: string | undefined;
  /** Where it is from; undefined for content without an address. */
  readonly uri?: string | undefined;
}

/** Most attachments of a result. */
const maxAttachments = 100;

/** The media of one result: those that the model gets as such, and for each some words that take its place in the text. */
export class ResultMedia {
  readonly attachments: MediaPart[] = [];
  readonly #kinds: ReadonlySet<McpAttachmentKind>;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(kinds: ReadonlySet<McpAttachmentKind>, maxBytes: number) {
    this.#kinds = kinds;
    this.#maxBytes = maxBytes;
  }

  /** Attaches what can be attached. @returns the words for its place in the text. */
  add({ data, mimeType, uri }: RemoteMedia): string {
    const from = uri === undefined ? '' : ` from ${noteText(uri)}`;
    const base64 = data.replace(/\s/g, '');
    const bytes = Buffer.from(base64, 'base64');
    const declared = noteText(mimeType ?? 'unknown type');
    if (bytes.toString('base64') !== base64) return `[${declared}${from}: not shown, it is not base64]`;
    const found = this.#partOf(bytes, base64, { mimeType, uri });
    const what = `${found?.part.mediaType ?? declared}${from}, ${counted(bytes.length, 'byte')}`;
    if (found === undefined) return `[${what}: not shown, it is of no kind that is attached]`;
    if (!this.#kinds.has(found.kind)) return `[${what}: not shown, ${found.kind} is not attached]`;
    if (this.#bytes + bytes.length > this.#maxBytes || this.attachments.length >= maxAttachments) {
      return `[${what}: not shown, a result attaches at most ${formatNumber(this.#maxBytes)} bytes in ${maxAttachments} parts]`;
    }
    this.#bytes += bytes.length;
    this.attachments.push(found.part);
    return `[attachment ${this.attachments.length}: ${what}]`;
  }

  /** The first bytes decide, not what the server says; of sounds there are too many formats. */
  #partOf(
    bytes: Uint8Array,
    data: string,
    { mimeType = '', uri }: Pick<RemoteMedia, 'mimeType' | 'uri'>,
  ): { readonly kind: McpAttachmentKind; readonly part: MediaPart } | undefined {
    const format = mediaFormatOf(bytes);
    if (format?.kind === 'image') {
      return { kind: 'image', part: { type: 'image', mediaType: format.mediaType, data } };
    }
    const name = uri === undefined ? {} : { name: nameOf(uri) };
    if (format?.kind === 'pdf') {
      return { kind: 'pdf', part: { type: 'file', mediaType: format.mediaType, data, ...name } };
    }
    const isAudio = bytes.length > 0 && /^audio\/[\w!#$&^.+-]{1,100}$/i.test(mimeType);
    return isAudio
      ? { kind: 'audio', part: { type: 'file', mediaType: mimeType, data, ...name } }
      : undefined;
  }
}

/** The words of a server inside a note of ours: on one line, and without the bracket that would end the note. */
export function noteText(text: string): string {
  return escapeInvisible(shorten(text, 300)).replaceAll(']', '%5D');
}

function nameOf(uri: string): string {
  const path = /^[^?#]*/.exec(uri)?.[0] ?? '';
  return noteText(path.slice(path.lastIndexOf('/') + 1) || 'file');
}
