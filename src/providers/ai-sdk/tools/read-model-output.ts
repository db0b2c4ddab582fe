import { isRecord, present } from '../../../core/internal/index.ts';
import type { MediaPart } from '../../../core/tool/index.ts';
import type { WireFields } from '../../kit/index.ts';
import { keepFile } from '../wire/files.ts';

/** The result of a call for the model. */
export interface ModelOutput {
  readonly isError: boolean;
  readonly text: string;
  readonly attachments: readonly MediaPart[];
}

/**
 * Reads the result of the `toModelOutput` of an AI SDK tool, in the format of any version. A file that is given by a
 * provider's id is mentioned in the text.
 *
 * @throws {TypeError} for a value that is not an output.
 */
export function readModelOutput(output: unknown): ModelOutput {
  if (!isRecord(output)) throw new TypeError('toModelOutput did not return an output.');
  const { type, value } = output;
  switch (type) {
    case 'text':
    case 'error-text':
      return { isError: type !== 'text', text: String(value), attachments: [] };
    case 'json':
    case 'error-json':
      return { isError: type !== 'json', text: JSON.stringify(value) ?? 'null', attachments: [] };
    case 'execution-denied': {
      const { reason } = output;
      return {
        isError: true,
        text: typeof reason === 'string' ? reason : 'The tool was not allowed to run.',
        attachments: [],
      };
    }
    case 'content':
      return readContent(Array.isArray(value) ? value.filter(isRecord) : []);
    default:
      throw new TypeError(`toModelOutput returned an output of the unknown type ${JSON.stringify(type)}.`);
  }
}

function readContent(parts: readonly WireFields[]): ModelOutput {
  const textParts: string[] = [];
  const attachments: MediaPart[] = [];
  for (const part of parts) {
    const media = part['type'] === 'text' ? undefined : readMedia(part);
    if (media !== undefined) attachments.push(media);
    else textParts.push(part['type'] === 'text' ? String(part['text']) : `[${String(part['type'])}]`);
  }
  return { isError: false, text: textParts.join('\n'), attachments };
}

/** An image or a file in the format of AI SDK 5 (`media`), 6 (`image-data` and the like) or 7 (`file`); undefined for another part. */
function readMedia({ type, data, url, mediaType, filename }: WireFields): MediaPart | undefined {
  const kept = keepFile(type === 'image-url' || type === 'file-url' ? { type: 'url', url } : data);
  if (kept === undefined) return undefined;
  const content = kept.type === 'url' ? kept.url : kept.data;
  const isImage =
    type === 'image-url' ||
    type === 'image-data' ||
    (typeof mediaType === 'string' && /^image\b/.test(mediaType));
  const full = fullMediaType(mediaType, isImage);
  if (isImage) return { type: 'image', mediaType: full, data: content };
  return {
    type: 'file',
    mediaType: full,
    data: content,
    ...present({ name: typeof filename === 'string' ? filename : undefined }),
  };
}

/** URLs have no media type, and AI SDK 7 accepts the first half of one. */
function fullMediaType(mediaType: unknown, isImage: boolean): string {
  if (typeof mediaType === 'string' && mediaType.includes('/') && !mediaType.endsWith('*')) return mediaType;
  return isImage ? 'image/png' : 'application/octet-stream';
}
