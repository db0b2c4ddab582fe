import { printable, wrapColumns } from '../process/plain-text.ts';

/** Characters of a text that are kept: the end of it is what is shown. */
const MAX_CHARACTERS = 2_000;

/** What a model is writing, as far as a few lines of a terminal show it. */
export class WrittenText {
  #text = '';
  #kind = '';

  /** @param kind of the text; a piece of another kind begins anew. */
  add(piece: string, kind: string): void {
    if (kind !== this.#kind) this.clear();
    this.#kind = kind;
    const text = this.#text + piece;
    // Cut seldom: where the text begins decides where its lines break.
    this.#text = text.length > MAX_CHARACTERS ? text.slice(-MAX_CHARACTERS / 2) : text;
  }

  clear(): void {
    this.#text = '';
  }

  /** The last lines, at most `count`, none of them empty. */
  lastLines(count: number, columns: number): readonly string[] {
    return this.#text
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
      .slice(-count)
      .flatMap((line) => wrapColumns(printable(line), columns))
      .slice(-count);
  }
}
