/** How much of an output is kept. Whole numbers of at least 0. */
export interface OutputWindowLimits {
  /** The number of first bytes kept. */
  readonly headBytes: number;
  /** The number of last bytes kept, besides the first ones. */
  readonly tailBytes: number;
}

/** The first and the last bytes of an output. Memory is bounded by the limits, and the time of `add` by the chunk. */
export class OutputWindow {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Uint8Array[] = [];
  #headLength = 0;
  #tail: Uint8Array[] = [];
  /** The chunks of the tail before this one are dropped. */
  #firstOfTail = 0;
  #tailLength = 0;
  #totalBytes = 0;

  constructor({ headBytes, tailBytes }: OutputWindowLimits) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  /** The size of the whole output. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** The number of bytes between head and tail that were dropped. */
  get omittedBytes(): number {
    return this.#totalBytes - this.#headLength - this.#tailLength;
  }

  add(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const forHead = Math.min(this.#headBytes - this.#headLength, chunk.length);
    if (forHead > 0) {
      this.#head.push(chunk.subarray(0, forHead));
      this.#headLength += forHead;
    }
    const rest = chunk.subarray(Math.max(forHead, chunk.length - this.#tailBytes));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    this.#cutTail();
  }

  /** The first bytes, up to the last whole character; all of it, while nothing was dropped and the tail is empty. */
  head(): string {
    const bytes = Buffer.concat(this.#head);
    return bytes.subarray(0, this.omittedBytes === 0 ? bytes.length : wholeEnd(bytes)).toString('utf8');
  }

  /** The last bytes, from the first whole character on. */
  tail(): string {
    const bytes = Buffer.concat(this.#tail.slice(this.#firstOfTail));
    return bytes.subarray(this.omittedBytes === 0 ? 0 : wholeStart(bytes)).toString('utf8');
  }

  /**
   * Head and tail as one text.
   * @param describeGap text for the place of the dropped bytes. Default: none.
   */
  text(describeGap: (omittedBytes: number) => string = () => ''): string {
    if (this.omittedBytes === 0) {
      return Buffer.concat([...this.#head, ...this.#tail.slice(this.#firstOfTail)]).toString('utf8');
    }
    return `${this.head()}${describeGap(this.omittedBytes)}${this.tail()}`;
  }

  #cutTail(): void {
    for (
      let first = this.#tail[this.#firstOfTail];
      first !== undefined && this.#tailLength > this.#tailBytes;
      first = this.#tail[this.#firstOfTail]
    ) {
      const surplus = this.#tailLength - this.#tailBytes;
      if (first.length <= surplus) this.#firstOfTail += 1;
      else this.#tail[this.#firstOfTail] = first.subarray(surplus);
      this.#tailLength -= Math.min(surplus, first.length);
    }
    // Moves the rest of the list only when most of it was dropped.
    if (this.#firstOfTail > 64 && this.#firstOfTail * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#firstOfTail);
      this.#firstOfTail = 0;
    }
  }
}

const isContinuation = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

/** At most three bytes can remain of a character that was cut. */
function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

/** The end of the last character that is complete. */
function wholeEnd(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start >= 0 && start + length > bytes.length ? start : bytes.length;
}
