import { wellFormed } from '../internal/index.ts';
import { describeReceived } from '../schema/index.ts';
import type { MediaPart } from './conversation.ts';

/** Most images and files of one result. */
const maxAttachments = 100;
/** Most characters that their data may have together: 20 MiB, as base64 about 15 MiB of bytes. */
const maxCharacters = 20 * 1024 * 1024;

/** Images and files as they may be sent, frozen copies; or what is wrong with them. */
export type AttachmentsReading =
  | { readonly ok: true; readonly attachments: readonly MediaPart[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads what a handler gave as attachments. They are checked because no provider accepts a request with media that it
 * cannot read: the run would end where one failed call is enough.
 */
export function readAttachments(value: unknown): AttachmentsReading {
  if (!Array.isArray(value)) return refused(`attachments must be a list, but is ${describe(value)}`);
  if (value.length > maxAttachments) {
    return refused(`attachments has ${value.length} items; a result takes at most ${maxAttachments}`);
  }
  const attachments: MediaPart[] = [];
  let characters = 0;
  for (const [index, item] of value.entries()) {
    const place = `attachments[${index}]`;
    const part = readPart(item, place);
    if (typeof part === 'string') return refused(part);
    characters += part.data.length;
    if (characters > maxCharacters) return refused(tooLarge(characters, place));
    if (!isSendable(part.data)) {
      return refused(`${place}.data is neither ${dataForms}; base64 has its padding and no line breaks`);
    }
    attachments.push(Object.freeze(part));
  }
  return { ok: true, attachments: Object.freeze(attachments) };
}

const dataForms = 'base64 text nor a base64 data: URL nor an http(s) address';

/** The members that are known, each read once; a string says what is wrong. */
function readPart(item: unknown, place: string): MediaPart | string {
  if (typeof item !== 'object' || item === null)
    return `${place} must be an object, but is ${describe(item)}`;
  // Every member is checked below.
  const { type, mediaType, data, name } = wellFormed(item as Readonly<Record<string, unknown>>);
  if (type !== 'image' && type !== 'file') {
    return `${place}.type must be "image" or "file", but is ${describe(type)}`;
  }
  if (typeof mediaType !== 'string' || !/^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(mediaType)) {
    return `${place}.mediaType must be a media type such as "image/png", but is ${describe(mediaType)}`;
  }
  if (typeof data !== 'string') return `${place}.data must be text, but is ${describe(data)}`;
  if (type === 'image') {
    if (/^image\//i.test(mediaType)) return { type, mediaType, data };
    return `${place}.mediaType of an image must begin with "image/", but is ${describe(mediaType)}; use the type "file" for other media`;
  }
  if (name === undefined) return { type, mediaType, data };
  return typeof name === 'string'
    ? { type, mediaType, data, name }
    : `${place}.name must be text, but is ${describe(name)}`;
}

function isSendable(data: string): boolean {
  if (/^https?:/i.test(data)) return /^https?:\/\/[^\s/]/i.test(data) && !/\s/.test(data);
  if (!/^data:/i.test(data)) return isBase64(data);
  const comma = data.indexOf(',');
  return /;base64$/i.test(data.slice(0, Math.max(0, comma))) && isBase64(data.slice(comma + 1));
}

/** Looks for the first character that is not in the alphabet, so that the time is linear and the stack flat for any length. */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/]/);
  const padding = end < 0 ? '' : text.slice(end);
  return text !== '' && text.length % 4 === 0 && ['', '=', '=='].includes(padding);
}

function tooLarge(characters: number, place: string): string {
  return `with ${place} the data of all attachments has ${characters} characters, but at most ${maxCharacters} are allowed; make it smaller, or give an http(s) address`;
}

/** Bytes are what most is mistaken for base64, and no message shall list them. */
function describe(value: unknown): string {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer
    ? 'bytes (write them as base64 text)'
    : describeReceived(value);
}

function refused(problem: string): AttachmentsReading {
  return { ok: false, problem };
}
