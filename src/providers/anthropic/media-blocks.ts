import { PromptValidationError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { InputPart, MediaPart } from '../../core/runtime/index.ts';
import { isWebUrl, toBase64 } from '../kit/index.ts';
import type { DocumentBlock, ImageBlock, ImageType, InputBlock } from './wire.ts';

const imageTypes: readonly ImageType[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * The content of a user message, without empty text, which the provider rejects.
 *
 * @throws {PromptValidationError} for an image or a file of an unsupported type.
 */
export function toInputBlocks(parts: readonly InputPart[]): readonly InputBlock[] {
  return parts.flatMap((part): readonly InputBlock[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    const block = toMediaBlock(part);
    if (block !== undefined) return [block];
    const mediaType = mediaTypeOf(part);
    throw new PromptValidationError(
      `Anthropic does not support the type "${mediaType}" of the ${part.type}. It supports JPEG, PNG, GIF and WebP images, PDF documents, and text files that are not given by URL.`,
      { details: { mediaType } },
    );
  });
}

/** An image or a file; undefined for an unsupported type. */
export function toMediaBlock(part: MediaPart): ImageBlock | DocumentBlock | undefined {
  const mediaType = mediaTypeOf(part);
  const url = isWebUrl(part.data) ? part.data : undefined;
  if (part.type === 'image' || mediaType.startsWith('image/')) {
    if (url !== undefined) return { type: 'image', source: { type: 'url', url } };
    const known = imageTypes.find((type) => type === mediaType);
    return (
      known && { type: 'image', source: { type: 'base64', media_type: known, data: toBase64(part.data) } }
    );
  }
  const source = toDocumentSource(mediaType, part.data, url);
  if (source === undefined) return undefined;
  return { type: 'document', source, ...present({ title: part.name }) };
}

function toDocumentSource(
  mediaType: string,
  data: string,
  url: string | undefined,
): DocumentBlock['source'] | undefined {
  if (mediaType === 'application/pdf') {
    if (url !== undefined) return { type: 'url', url };
    return { type: 'base64', media_type: mediaType, data: toBase64(data) };
  }
  if (url !== undefined || !isText(mediaType)) return undefined;
  const bytes = Uint8Array.from(atob(toBase64(data)), (letter) => letter.charCodeAt(0));
  return { type: 'text', media_type: 'text/plain', data: new TextDecoder().decode(bytes) };
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(.+\+)?(json|xml|yaml)$/.test(mediaType);
}

/** A `data:` URL contains its media type. */
function mediaTypeOf({ mediaType, data }: MediaPart): string {
  const [, embedded] = /^data:([^;,]+)[;,]/i.exec(data) ?? [];
  return (embedded ?? mediaType).toLowerCase();
}
