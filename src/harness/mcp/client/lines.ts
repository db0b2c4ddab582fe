const lineFeed = 0x0a;

/** Options of {@link Lines}. */
export interface LinesOptions {
  /** Most bytes of a line. */
  readonly maxBytes: number;
  /** Gets each line, without its end. */
  readonly onLine: (line: string) => void;
  /** Called once for a line that is longer; nothing is read after it. */
  readonly onTooLong: () => void;
}

/** Splits a stream of bytes into lines. Memory is bounded by the limit, and the time by the bytes. */
export class Lines {
  readonly #options: LinesOptions;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isTooLong = false;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  add(chunk: Uint8Array): void {
    let start = 0;
    while (!this.#isTooLong) {
      const end = chunk.indexOf(lineFeed, start);
      this.#keep(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0 || this.#isTooLong) return;
      this.#emit();
      start = end + 1;
    }
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#options.maxBytes) {
      this.#isTooLong = true;
      this.#pieces = [];
      this.#options.onTooLong();
    } else if (piece.length > 0) this.#pieces.push(piece);
  }

  #emit(): void {
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    this.#options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
