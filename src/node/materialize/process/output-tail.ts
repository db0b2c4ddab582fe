/** The end of an output, at most so many bytes. */
export class OutputTail {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#bytes > this.#maxBytes;
      first = this.#chunks[0]
    ) {
      const surplus = this.#bytes - this.#maxBytes;
      this.#isCut = true;
      if (first.length <= surplus) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(surplus);
      this.#bytes -= Math.min(surplus, first.length);
    }
  }

  /** The text, from the first whole character on. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let start = 0;
    // At most three bytes of a character can be left of one that was cut.
    while (this.#isCut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return bytes.subarray(start).toString('utf8');
  }
}
