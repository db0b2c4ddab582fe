/** What code reads, writes and prints, in the evaluator process. */
export class CallFiles {
  readonly #texts: Map<string, string>;
  readonly #writable: ReadonlySet<string>;
  readonly #written = new Map<string, string>();
  readonly #maxCharacters: number;
  #stdout = '';

  constructor(
    files: readonly (readonly [string, string])[],
    writable: readonly string[],
    maxCharacters: number,
  ) {
    this.#texts = new Map(files);
    this.#writable = new Set(writable);
    this.#maxCharacters = maxCharacters;
  }

  /** @throws {Error} when the path was not declared. */
  read(path: string): string {
    const text = this.#written.get(path) ?? this.#texts.get(path);
    if (text === undefined) throw new Error(`The path ${JSON.stringify(path)} is not in "reads".`);
    return text;
  }

  /** @throws {Error} when the path was not declared. */
  write(path: string, text: string): void {
    if (!this.#writable.has(path)) throw new Error(`The path ${JSON.stringify(path)} is not in "writes".`);
    this.#written.set(path, text);
  }

  /** Keeps the start of the output. */
  print(text: string): void {
    const left = this.#maxCharacters - this.#stdout.length;
    if (left > 0) this.#stdout += text.slice(0, left);
  }

  get stdout(): string {
    return this.#stdout;
  }

  get written(): readonly (readonly [string, string])[] {
    return [...this.#written];
  }
}
