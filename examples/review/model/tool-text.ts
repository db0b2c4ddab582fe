import { readName } from '../text.ts';
/** An entry of a directory, as `ls` shows it. */
export interface ListedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  /** Size of a file; 0 for a directory. */
  readonly bytes: number;
}

/** What a result of `ls` says. */
export interface ListedDirectory {
  readonly entries: readonly ListedEntry[];
  /** Whether the directory holds entries that are not shown. */
  readonly isPartial: boolean;
}

/** One line that `read_file` shows. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  /** Length of the whole line, also where the text is cut. */
  readonly length: number;
}

/** What a result of `read_file` says. */
export interface ShownWindow {
  readonly lines: readonly ShownLine[];
  readonly totalLines: number;
  /** Where to continue; absent at the end of the file. */
  readonly nextOffset?: number;
}

/** One match that `grep` shows. */
export interface ShownMatch {
  readonly path: string;
  readonly line: number;
}

/** A result of `ls`. */
export function parseListing(text: string): ListedDirectory {
  const entries: ListedEntry[] = [];
  let isPartial = false;
  for (const line of bodyLines(text)) {
    const file = /^(.+) \(([\d,]+) bytes?\)$/s.exec(line);
    if (file?.[1] !== undefined) {
      entries.push({ name: readName(file[1]), isDirectory: false, bytes: toNumber(file[2]) });
    } else if (readName(line).endsWith('/'))
      entries.push({ name: readName(line).slice(0, -1), isDirectory: true, bytes: 0 });
    else if (/^[\d,]+ more entr(?:y|ies) not shown\./.test(line)) isPartial = true;
  }
  return { entries, isPartial };
}

/** A result of `read_file`; undefined when the text has no such form. */
export function parseWindow(text: string): ShownWindow | undefined {
  const lines: ShownLine[] = [];
  const header = /^[^\n]* - lines \d+-\d+ of (\d+)(?: \(CRLF line ends\))?(?:\n|$)/.exec(text);
  if (header === null) return text.endsWith(' is empty.') ? { lines, totalLines: 0 } : undefined;
  let nextOffset: number | undefined;
  for (const line of bodyLines(text)) {
    const numbered = /^ *(\d+) \| (.*)$/s.exec(line);
    if (numbered !== null) lines.push(toShownLine(toNumber(numbered[1]), numbered[2] ?? ''));
    else {
      const next = /^\[.* continue with offset=(\d+)\]$/.exec(line)?.[1];
      if (next !== undefined) nextOffset = Number(next);
    }
  }
  return { lines, totalLines: toNumber(header[1]), ...(nextOffset === undefined ? {} : { nextOffset }) };
}

/** A result of `glob`. */
export function parsePaths(text: string): { readonly paths: readonly string[]; readonly isPartial: boolean } {
  const lines = bodyLines(text);
  const isPartial = lines.at(-1)?.startsWith('There are more.') === true;
  const paths = isPartial ? lines.slice(0, -1) : lines;
  return { paths: paths.filter((path) => !isLink(path)).map(readName), isPartial };
}

/** A result of `grep`. */
export function parseMatches(text: string): {
  readonly matches: readonly ShownMatch[];
  readonly isPartial: boolean;
} {
  const lines = bodyLines(text);
  const isPartial = lines.at(-1)?.startsWith('There are more.') === true;
  const matches: ShownMatch[] = [];
  for (const line of isPartial ? lines.slice(0, -1) : lines) {
    const match = /^("(?:[^"\\]|\\.)*"|[^":]+):(\d+): /s.exec(line);
    if (match?.[1] !== undefined) matches.push({ path: readName(match[1]), line: toNumber(match[2]) });
  }
  return { matches, isPartial };
}

/** Links are not read: what they lead to is found by its own path, or is not in the workspace. */
function isLink(shown: string): boolean {
  return / \(link (?:to .*|that leads nowhere|that leads out of the workspace)\)$/s.test(shown);
}

/** The lines after the first blank line; a result without one has no body. */
function bodyLines(text: string): readonly string[] {
  const blank = text.indexOf('\n\n');
  return blank === -1 ? [] : text.slice(blank + 2).split('\n');
}

function toShownLine(number: number, text: string): ShownLine {
  const cut = /… \[([\d,]+) more characters\]$/.exec(text);
  return cut === null
    ? { number, text, length: text.length }
    : { number, text: text.slice(0, cut.index), length: cut.index + toNumber(cut[1]) };
}

function toNumber(digits: string | undefined): number {
  return Number((digits ?? '0').replaceAll(',', ''));
}
