import { decodeText } from '../text/text-codec.ts';
import type { LineIndexMemo } from '../text/text-window.ts';

/** What was worked out from a content, which never changes. */
export interface ContentMemo extends LineIndexMemo {
  digest?: string;
}

/** The bytes of a file. Never changes. */
export interface FileContent {
  /** The size. */
  readonly bytes: number;
  /** The content as text; undefined when it is binary (a NUL in the first 8 KB, or no valid UTF-8). A byte order mark stays. */
  text(): string | undefined;
  /** A copy of the bytes. */
  data(): Uint8Array;
  /** Where the library keeps what it has worked out. Default: that is worked out each time. @internal */
  readonly '~memo'?: ContentMemo;
}

/** Wraps bytes that nobody changes any more; the text is decoded at most once. */
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
