import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';

const binaryProbeBytes = 8192;
const loneSurrogate = /\p{Surrogate}/u;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes, with its byte order mark; undefined for binary: a NUL in the first 8 KB or invalid UTF-8. */
export function decodeText(data: Uint8Array): string | undefined {
  if (data.subarray(0, binaryProbeBytes).includes(0)) return undefined;
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
