import { type FileLines, NumberedLines, spellings } from './file-lines.ts';
import { areLinesAt, type Effort, findLines } from './find-lines.ts';
import type { Hunk } from './parse-diff.ts';

/** Where lines are. */
export interface FoundPlace {
  /** The line of the file where they begin, from 0. */
  readonly at: number;
  /** Whether they differ from those of the file in blanks at line ends. */
  readonly isLoose: boolean;
}

/** What hunks are looked for in. */
export class Search {
  readonly file: FileLines;
  /** The file in quotes, for messages. */
  readonly name: string;
  readonly effort: Effort;
  readonly #sought: ReadonlySet<string>;
  readonly #numbered = new Map<keyof typeof spellings, NumberedLines>();

  constructor(file: FileLines, name: string, hunks: readonly Hunk[], effort: Effort) {
    this.file = file;
    this.name = name;
    this.effort = effort;
    this.#sought = new Set(
      hunks.flatMap((hunk) => [...oldLines(hunk), ...hunk.anchors.map(({ text }) => text)]),
    );
  }

  /** Made when it is first needed: most diffs are exact. */
  lines(spelling: keyof typeof spellings): NumberedLines {
    const made =
      this.#numbered.get(spelling) ?? new NumberedLines(this.file, this.#sought, spellings[spelling]);
    this.#numbered.set(spelling, made);
    return made;
  }

  /** The first place from `from` on, exact or but for blanks at line ends. */
  find(sought: readonly string[], from: number): FoundPlace | undefined {
    for (const spelling of ['exact', 'ends'] as const) {
      const lines = this.lines(spelling);
      if (sought.some((line) => lines.firstFrom(line, from) === undefined)) continue;
      const { at } = findLines(lines, sought, from, this.effort);
      if (at !== -1) return { at, isLoose: spelling === 'ends' };
    }
    return undefined;
  }

  /** The place at the end of the file; of a file that ends with a newline, before or after the empty line after that. */
  findAtEnd(sought: readonly string[], from: number): FoundPlace | undefined {
    const { count, visibleCount } = this.file;
    for (const spelling of ['exact', 'ends'] as const) {
      for (const end of new Set([visibleCount, count])) {
        const at = end - sought.length;
        if (at >= from && areLinesAt(this.lines(spelling), sought, at, this.effort))
          return { at, isLoose: spelling === 'ends' };
      }
    }
    return undefined;
  }
}

/** The lines that a hunk has in the file before it is applied. */
export function oldLines({ lines }: Pick<Hunk, 'lines'>): readonly string[] {
  return lines.flatMap(({ kind, text }) => (kind === 'added' ? [] : [text]));
}
