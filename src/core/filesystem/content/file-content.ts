import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import { hasRequired, type RequiredText } from '../text/required-text.ts';
import type { LineIndexMemo } from '../text/text-window.ts';

/** Values computed from a content. They never go stale, because a content never changes. */
export interface ContentMemo extends LineIndexMemo {
  digest?: string;
  /** In hexadecimal, set by who needs it. */
  sha256?: string;
}

/** The bytes of a file. Immutable. */
export interface FileContent {
  /** The size in bytes. */
  readonly bytes: number;
  /** The content as text; undefined when it is binary (a NUL in the first 8 KB, or invalid UTF-8). A byte order mark is kept. */
  text(): string | undefined;
  /** A copy of the bytes. */
  data(): Uint8Array;
  /** The same as {@link searchText}, without decoding a text that does not have what is required. Default: it is decoded. @internal */
  readonly '~searchText'?: (required: RequiredText) => SearchText;
  /** A cache for values that the library computes. Default: they are computed each time. @internal */
  readonly '~memo'?: ContentMemo;
}

/** What a search finds of a content; `without`: it is text that does not have what is required. */
export type SearchText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'without' | 'binary' };

/** The text of a content, if a pattern may be found in it. @param required what the pattern requires; undefined: nothing. */
export function searchText(content: FileContent, required: RequiredText | undefined): SearchText {
  if (required !== undefined && content['~searchText'] !== undefined) return content['~searchText'](required);
  return textWith(content.text(), required);
}

/** @param text undefined for a binary content. */
export function textWith(text: string | undefined, required: RequiredText | undefined): SearchText {
  if (text === undefined) return { kind: 'binary' };
  const mayMatch = required === undefined || hasRequired(required, (part) => text.includes(part));
  return mayMatch ? { kind: 'text', text } : { kind: 'without' };
}

/** Wraps bytes that must not change any more; the text is decoded at most once. */
export function fileContent(data: Uint8Array): FileContent {
  return new MemoryContent(data);
}

class MemoryContent implements FileContent {
  readonly bytes: number;
  readonly #data: Uint8Array;
  #text: { readonly decoded: string | undefined } | undefined;
  #memo: ContentMemo | undefined;

  constructor(data: Uint8Array) {
    this.bytes = data.byteLength;
    this.#data = data;
    Object.freeze(this);
  }

  text(): string | undefined {
    this.#text ??= { decoded: decodeText(this.#data) };
    return this.#text.decoded;
  }

  data(): Uint8Array {
    return this.#data.slice();
  }

  get '~memo'(): ContentMemo {
    return (this.#memo ??= {});
  }
}

/**
 * A short string that is equal for equal bytes and differs for different ones: the length, and two 32-bit hashes with
 * different mixing (MurmurHash3 and the short form of xxHash). A change within four adjacent bytes always changes
 * both; any other change goes undetected once in 2^64 times. Not collision-resistant against an attacker. Cost: one pass over the
 * bytes, once per content created by this library.
 */
export function contentDigest(content: FileContent): string {
  const memo = content['~memo'];
  if (memo === undefined) return digestOf(content.data());
  return (memo.digest ??= digestOf(content.data()));
}

/** The digest of bytes that do not belong to a content. */
export function digestOf(data: Uint8Array): string {
  const { byteLength } = data;
  let murmur = 0;
  let xx = 0x165667b1;
  const whole = byteLength - (byteLength % 4);
  const words = new DataView(data.buffer, data.byteOffset, byteLength);
  for (let at = 0; at < byteLength; at += 4) {
    // Padded with zeros after the end; the length is part of the digest, so padding never equals real zeros.
    const word =
      at < whole
        ? words.getInt32(at, true)
        : (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16);
    murmur ^= Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
    murmur = (Math.imul(rotated(murmur, 13), 5) + 0xe6546b64) | 0;
    xx = Math.imul(rotated((xx + Math.imul(word, 0xc2b2ae3d)) | 0, 17), 0x27d4eb2f);
  }
  return `${byteLength}-${hex(mixed(murmur ^ byteLength, 0x85ebca6b, 13, 0xc2b2ae35))}${hex(mixed(xx + byteLength, 0x85ebca77, 13, 0xc2b2ae3d))}`;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Makes every bit of the result depend on every bit of the word. */
function mixed(word: number, first: number, shift: number, second: number): number {
  let result = Math.imul(word ^ (word >>> 16), first);
  result = Math.imul(result ^ (result >>> shift), second);
  return result ^ (result >>> 16);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

const binaryProbeBytes = 8192;
const loneSurrogate = /\p{Surrogate}/u;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a content is binary by its start. */
export function startsBinary(data: Uint8Array): boolean {
  return data.subarray(0, binaryProbeBytes).includes(0);
}

/** The text of UTF-8 bytes, with its byte order mark; undefined for binary: a NUL in the first 8 KB or invalid UTF-8. */
export function decodeText(data: Uint8Array): string | undefined {
  if (startsBinary(data)) return undefined;
  try {
    return decoder.decode(data);
  } catch {
    return undefined;
  }
}

/**
 * The UTF-8 bytes of a string.
 * @throws {FilesystemError} `argument-invalid` when it contains half of a surrogate pair, which UTF-8 cannot encode.
 */
export function encodeText(text: string, path: string): Uint8Array {
  if (loneSurrogate.test(text)) {
    throw new FilesystemError(
      'argument-invalid',
      `The text for ${quoteText(path)} contains half of a surrogate pair, which UTF-8 cannot encode. Send whole characters.`,
      { details: { path } },
    );
  }
  return encoder.encode(text);
}
