import type { MediaPart } from '../../tool/index.ts';

/** True when the data of an image or file is an address in the web. */
export function isWebUrl(data: string): boolean {
  return /^https?:/i.test(data);
}

/** The data of an image or file as a URL: as it is when it is one, else as a `data:` URL. */
export function toUrl({ mediaType, data }: Pick<MediaPart, 'mediaType' | 'data'>): string {
  return isWebUrl(data) || /^data:/i.test(data) ? data : `data:${mediaType};base64,${data}`;
}

/** The base64 text of an image or file that is no address in the web. */
export function toBase64(data: string): string {
  return /^data:/i.test(data) ? data.slice(data.indexOf(',') + 1) : data;
}
