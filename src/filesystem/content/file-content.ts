import { decodeText } from '../text/text-codec.ts';

/** The bytes of a file. Never changes. */
export interface FileContent {
  /** The size. */
  readonly bytes: number;
  /** The content as text; undefined when it is binary (a NUL in the first 8 KB, or no valid UTF-8). A byte order mark stays. */
  text(): string | undefined;
  /** A copy of the bytes. */
  data(): Uint8Array;
}

/** Wraps bytes that nobody changes any more; the text is decoded at most once. */
export function fileContent(data: Uint8Array): FileContent {
  let text: { readonly decoded: string | undefined } | undefined;
  return Object.freeze({
    bytes: data.byteLength,
    text(): string | undefined {
      text ??= { decoded: decodeText(data) };
      return text.decoded;
    },
    data: (): Uint8Array => data.slice(),
  });
}
