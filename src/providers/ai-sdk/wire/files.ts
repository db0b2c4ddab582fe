import { present } from '../../../core/internal/index.ts';
import type { MediaPart } from '../../../core/tool/index.ts';
import { isWebUrl, toBase64 } from '../../kit/index.ts';
import type { AiSdkVersion, FileDataV4, FilePart, ResultFile } from './call-options.ts';

/** The form of files in one version of the model interface. */
export interface FileForm<Version extends AiSdkVersion> {
  /** A file from a user. */
  toPart(media: MediaPart): FilePart<Version>;
  /** A file after the text of a tool result. */
  toResultFile(media: MediaPart): ResultFile<Version>;
  /** A file made by the model, from its stored form, to be sent back. */
  toAnswerData(kept: KeptFile): FilePart<Version>['data'];
}

/** The data of a model's file in stored form: that of version 4 as plain JSON, base64 text or a URL. */
export type KeptFile =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

export const filesOfV4: FileForm<'v4'> = {
  toPart: (media) => ({ type: 'file', ...named(media), data: toDataV4(media) }),
  toResultFile: (media) => ({ type: 'file', ...named(media), data: toDataV4(media) }),
  toAnswerData: (kept) => (kept.type === 'url' ? { type: 'url', url: new URL(kept.url) } : kept),
};

export const filesOfV3: FileForm<'v3'> = {
  toPart: (media) => ({
    type: 'file',
    ...named(media),
    data: isWebUrl(media.data) ? new URL(media.data) : toBase64(media.data),
  }),
  toResultFile: (media) =>
    isWebUrl(media.data)
      ? { type: `${media.type}-url`, url: media.data }
      : { type: `${media.type}-data`, ...named(media), data: toBase64(media.data) },
  toAnswerData: (kept) => (kept.type === 'url' ? new URL(kept.url) : kept.data),
};

function toDataV4({ data }: MediaPart): FileDataV4 {
  return isWebUrl(data) ? { type: 'url', url: new URL(data) } : { type: 'data', data: toBase64(data) };
}

function named(media: MediaPart): { mediaType: string; filename?: string } {
  const name = media.type === 'file' ? media.name : undefined;
  return { mediaType: media.mediaType, ...present({ filename: name }) };
}

/** The data of a model's file in stored form; undefined for a value that is not a file of either version. */
export function keepFile(data: unknown): KeptFile | undefined {
  if (data instanceof URL) return { type: 'url', url: data.href };
  if (data instanceof Uint8Array) return { type: 'data', data: encode(data) };
  if (typeof data === 'string') return { type: 'data', data };
  if (typeof data !== 'object' || data === null) return undefined;
  const {
    type,
    data: inner,
    url,
  }: { readonly type?: unknown; readonly data?: unknown; readonly url?: unknown } = data;
  if (type === 'url')
    return url instanceof URL || typeof url === 'string' ? { type, url: String(url) } : undefined;
  return type === 'data' ? keepFile(inner) : undefined;
}

const chunkSize = 32_768;

function encode(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += chunkSize) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return btoa(text);
}
