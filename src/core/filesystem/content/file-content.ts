import { decodeText } from '../text/text-codec.ts';
import type { LineIndexMemo } from '../text/text-window.ts';

/** Values computed from a content. They never go stale, because a content never changes. */
export interface ContentMemo extends LineIndexMemo {
  digest?: string;
}

/** The bytes of a file. Immutable. */
export interface FileContent {
  /** The size in bytes. */
  readonly bytes: number;
  /** The content as text; undefined when it is binary (a NUL in the first 8 KB, or invalid UTF-8). A byte order mark is kept. */
  text(): string | undefined;
  /** A copy of the bytes. */
  data(): Uint8Array;
  /** A cache for values that the library computes. Default: they are computed each time. @internal */
  readonly '~memo'?: ContentMemo;
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
