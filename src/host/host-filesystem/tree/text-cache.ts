import type { ContentMemo } from '../../../core/filesystem/index.ts';

/** A text of a file on the disk, and what was computed from it. */
export interface CachedText {
  /** Undefined: the file is binary. */
  readonly text: string | undefined;
  readonly memo: ContentMemo;
}

/** Smaller files are read again each time. */
const minBytes = 65_536;

/** What is kept of all files together. */
const maxTotalBytes = 33_554_432;

/** Whether the text of a file of this size is kept. */
export function isKeptText(bytes: number): boolean {
  return bytes >= minBytes && bytes <= maxTotalBytes;
}

/**
 * The texts of large files of a folder, so that a window of one does not read and decode all of it each time. They are kept by the stamp of the file, under
 * which only a content is kept that was read when no other change could have left the stamp as it is. Those used last stay.
 */
export class TextCache {
  readonly #texts = new Map<string, CachedText & { readonly bytes: number }>();
  #bytes = 0;

  get(stamp: string): CachedText | undefined {
    const found = this.#texts.get(stamp);
    if (found === undefined) return undefined;
    // The order of a map is that of use.
    this.#texts.delete(stamp);
    this.#texts.set(stamp, found);
    return found;
  }

  put(stamp: string, bytes: number, text: string | undefined, memo: ContentMemo): void {
    if (!isKeptText(bytes) || this.#texts.has(stamp)) return;
    this.#texts.set(stamp, { text, memo, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#texts) {
      if (this.#bytes <= maxTotalBytes) return;
      this.#texts.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
