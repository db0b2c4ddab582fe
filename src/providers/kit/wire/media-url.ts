import type { MediaPart } from '../../../core/tool/index.ts';

/** True when the data of an image or file is a web URL. */
export function isWebUrl(data: string): boolean {
  return /^https?:/i.test(data);
}

/** The data of an image or file as a URL: unchanged if it is one, otherwise as a `data:` URL. */
export function toUrl({ mediaType, data }: Pick<MediaPart, 'mediaType' | 'data'>): string {
  return isWebUrl(data) || /^data:/i.test(data) ? data : `data:${mediaType};base64,${data}`;
}

/** The base64 string of an image or file that is not given by web URL. */
export function toBase64(data: string): string {
  return /^data:/i.test(data) ? data.slice(data.indexOf(',') + 1) : data;
}
