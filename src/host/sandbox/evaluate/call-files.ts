/** What code may read and write, in the evaluator process. */
export class CallFiles {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #writable: ReadonlySet<string>;
  readonly #written = new Map<string, string>();
  readonly #maxTotalBytes: number;
  #totalBytes = 0;

  /** @param maxTotalBytes the most that all written files may have together. */
  constructor(
    files: readonly (readonly [path: string, text: string])[],
    writable: readonly string[],
    maxTotalBytes: number,
  ) {
    this.#texts = new Map(files);
    this.#writable = new Set(writable);
    this.#maxTotalBytes = maxTotalBytes;
  }

  /** @throws {Error} when the path was not declared. */
  read(path: unknown): string {
    if (typeof path !== 'string') throw new Error('read_text takes a path as text.');
    const text = this.#written.get(path) ?? this.#texts.get(path);
    if (text === undefined) throw new Error(`The path ${JSON.stringify(path)} is not in "reads".`);
    return text;
  }

  /** @throws {Error} when the path was not declared, `text` is not a string, or the files would be too large. */
  write(path: unknown, text: unknown): void {
    if (typeof path !== 'string' || typeof text !== 'string')
      throw new Error('write_text takes a path and a text. Make a text of the value first.');
    if (!this.#writable.has(path)) throw new Error(`The path ${JSON.stringify(path)} is not in "writes".`);
    const totalBytes = this.#totalBytes - byteLength(this.#written.get(path) ?? '') + byteLength(text);
    if (totalBytes > this.#maxTotalBytes)
      throw new Error(
        `The files written have ${totalBytes} bytes together; ${this.#maxTotalBytes} are possible.`,
      );
    this.#totalBytes = totalBytes;
    this.#written.set(path, text);
  }

  /** Each written path with its last content. */
  get written(): readonly (readonly [path: string, text: string])[] {
    return [...this.#written];
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
