import { byteOrderMark } from '../../../core/internal/index.ts';

/** The lines of a text between its line endings: there is always a last one without an ending, which is empty after a final newline. */
export class FileLines {
  readonly content: string;
  readonly count: number;
  /** Where each line starts. */
  readonly #starts: Int32Array;

  constructor(content: string) {
    this.content = content;
    let count = 1;
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) count += 1;
    this.count = count;
    this.#starts = new Int32Array(count);
    this.#starts[0] = content.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    let line = 1;
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) {
      this.#starts[line] = at + 1;
      line += 1;
    }
  }

  /** How many lines there are for who counts no empty one after a final newline. */
  get visibleCount(): number {
    return this.count - (this.textOf(this.count - 1) === '' ? 1 : 0);
  }

  /** Where a line starts. A byte order mark is not part of the first one. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.content.length;
  }

  /** Where the text of a line ends, before its ending. */
  endOf(line: number): number {
    if (line >= this.count - 1) return this.content.length;
    const lineFeed = this.startOf(line + 1) - 1;
    const isReturn = lineFeed > this.startOf(line) && this.content[lineFeed - 1] === '\r';
    return isReturn ? lineFeed - 1 : lineFeed;
  }

  /** A line without its ending. */
  textOf(line: number): string {
    return this.content.slice(this.startOf(line), this.endOf(line));
  }

  /** The ending of a line; undefined for the last one. */
  endingOf(line: number): string | undefined {
    if (line < 0 || line >= this.count - 1) return undefined;
    return this.content.slice(this.endOf(line), this.startOf(line + 1));
  }
}

/** What counts as equal, from strict to loose. */
export const spellings: Readonly<Record<'exact' | 'ends' | 'both', (line: string) => string>> = {
  exact: (line) => line,
  ends: (line) => line.trimEnd(),
  both: (line) => line.trim(),
};

/** Numbers for the lines of a file: equal lines that are looked for have the same number, and all others -1. */
export class NumberedLines {
  readonly numbers: Int32Array;
  readonly #spell: (line: string) => string;
  readonly #numberOf = new Map<string, number>();
  /** By number, where the lines are, in order. */
  readonly #places: number[][] = [];

  constructor(file: FileLines, sought: Iterable<string>, spell: (line: string) => string) {
    this.#spell = spell;
    for (const line of sought) {
      const spelled = spell(line);
      if (this.#numberOf.has(spelled)) continue;
      this.#numberOf.set(spelled, this.#places.length);
      this.#places.push([]);
    }
    this.numbers = new Int32Array(file.count);
    for (let line = 0; line < file.count; line += 1) {
      const number = this.numberOf(file.textOf(line));
      this.numbers[line] = number;
      this.#places[number]?.push(line);
    }
  }

  numberOf(line: string): number {
    return this.#numberOf.get(this.#spell(line)) ?? -1;
  }

  /** The first line from `from` on that is equal; undefined when there is none. */
  firstFrom(line: string, from: number): number | undefined {
    const places = this.#places[this.numberOf(line)] ?? [];
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return places[low];
  }
}
