import { byteOrderMark, counted, formatNumber, partOf, present, startOf } from '../../internal/index.ts';
import {
  count,
  type Field,
  integer,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text as textField,
} from '../../schema/index.ts';
import type { TextWindow } from './text-window.ts';

/** How much of a window of lines is shown. */
export interface ShownLimits {
  /** Characters of one line, but for a line that is read on by `character_offset`. */
  readonly maxLineCharacters: number;
  /** Characters of all lines. */
  readonly maxOutputCharacters: number;
}

/** The fields of a result that shows lines of a text. */
export const shownLinesFields: {
  /** The lines shown, joined with `\n`; without carriage returns, over-long lines cut. Of one line that is read by characters, the part shown. */
  readonly text: Field<string>;
  /** Number of the first line shown, from 1; 0 when none is. */
  readonly firstLine: Field<number>;
  /** Number of the last line shown; 0 when none is. */
  readonly lastLine: Field<number>;
  readonly totalLines: Field<number>;
  /** The `offset` that continues where this result stops; absent when the end of the text was reached. */
  readonly nextOffset: OptionalField<number>;
  /** The lines that were cut, and how many of their characters are shown; absent when none was. */
  readonly cutLines: OptionalField<readonly { readonly line: number; readonly characters: number }[]>;
  /** Of one line that is read by characters: the first one shown, from 0, and how many the line has. */
  readonly firstCharacter: OptionalField<number>;
  readonly lineCharacters: OptionalField<number>;
  /** The `character_offset` that continues where this result stops; absent when the end of the line was reached. */
  readonly nextCharacterOffset: OptionalField<number>;
} = {
  text: textField,
  firstLine: count,
  lastLine: count,
  totalLines: count,
  nextOffset: optional(integer, { minimum: 1 }),
  cutLines: optional(list(record({ line: count, characters: count }))),
  firstCharacter: optional(count),
  lineCharacters: optional(count),
  nextCharacterOffset: optional(integer, { minimum: 1 }),
};

/** Lines of a text, as a result shows them. */
export type ShownWindow = RecordOf<typeof shownLinesFields>;

/**
 * At most `maxCharacters` UTF-16 units of a text, never ending within a surrogate pair, with a note of how many were left
 * out when it was cut.
 */
export function cutText(
  text: string,
  maxCharacters: number,
): { readonly text: string; readonly kept: number } {
  if (text.length <= maxCharacters) return { text, kept: text.length };
  const start = startOf(text, maxCharacters);
  const left = formatNumber(text.length - start.length);
  return { text: `${start}… [${left} more characters]`, kept: start.length };
}

/** The part of a window of text that a result shows. */
export interface ShownText {
  /** Without line ends and without a byte order mark; over-long lines cut and marked so. */
  readonly lines: readonly string[];
  /** Whether a line ended in CRLF. */
  readonly hasCarriageReturns: boolean;
  /** Whether the window began with a byte order mark. */
  readonly hasMark: boolean;
  /** The lines that were cut, by their index in the window, and how many of their characters are shown. */
  readonly cut: readonly { readonly index: number; readonly characters: number }[];
  /** What is shown of the window: start and end of each part, in UTF-16 units. */
  readonly ranges: readonly number[];
}

/**
 * Splits a window of whole lines and keeps as many from its start as the output limit allows, always at least one.
 * Lines are split on line feeds only, as the file system counts them.
 */
export function showLines(text: string, limits: ShownLimits): ShownText {
  const lines: string[] = [];
  const cut: { readonly index: number; readonly characters: number }[] = [];
  const ranges: number[] = [];
  let characters = 0;
  let hasCarriageReturns = false;
  const hasMark = text.startsWith(byteOrderMark);
  let start = hasMark ? byteOrderMark.length : 0;
  do {
    const { line, next, endsInCarriageReturn } = lineAt(text, start);
    const shown = cutText(line, limits.maxLineCharacters);
    characters += shown.text.length + 1;
    if (lines.length > 0 && characters > limits.maxOutputCharacters) break;
    hasCarriageReturns ||= endsInCarriageReturn;
    if (shown.kept < line.length) cut.push({ index: lines.length, characters: shown.kept });
    ranges.push(lines.length === 0 ? 0 : start, shown.kept < line.length ? start + shown.kept : next);
    lines.push(shown.text);
    start = next;
  } while (start < text.length);
  return { lines, hasCarriageReturns, hasMark, cut, ranges };
}

/** One line from a character on, as far as the output limit allows. */
export interface ShownPart {
  readonly text: string;
  /** Where it begins in the line: not within a surrogate pair. */
  readonly from: number;
  /** The length of the line. */
  readonly length: number;
  /** See {@link ShownText}. */
  readonly ranges: readonly number[];
}

/** The part of the first line of a window that begins with the character at `offset`. */
export function showPart(text: string, offset: number, limits: ShownLimits): ShownPart {
  const lineStart = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  const { line, next } = lineAt(text, lineStart);
  const { length } = line;
  if (offset >= length) return { text: '', from: length, length, ranges: [] };
  const part = partOf(line, offset, offset + Math.max(limits.maxOutputCharacters, 2));
  const end = part.start + part.text.length;
  const ranges = [lineStart + part.start, end === length ? next : lineStart + end];
  return { text: part.text, from: part.start, length, ranges };
}

/** Lines of a window as the value of a result. */
export function shownLines(
  { offset, totalLines }: Pick<TextWindow, 'offset' | 'totalLines'>,
  { lines, cut }: ShownText,
): ShownWindow {
  const lastLine = offset + lines.length;
  return {
    text: lines.join('\n'),
    firstLine: offset + 1,
    lastLine,
    totalLines,
    ...present({
      nextOffset: lastLine < totalLines ? lastLine : undefined,
      cutLines:
        cut.length === 0
          ? undefined
          : cut.map(({ index, characters }) => ({ line: offset + index + 1, characters })),
    }),
  };
}

/** A part of a line as the value of a result. */
export function shownPart(
  { offset, totalLines }: Pick<TextWindow, 'offset' | 'totalLines'>,
  { text: part, from, length }: ShownPart,
): ShownWindow {
  const end = from + part.length;
  const line = offset + 1;
  return {
    text: part,
    firstLine: line,
    lastLine: line,
    totalLines,
    firstCharacter: from,
    lineCharacters: length,
    ...present({
      nextCharacterOffset: end < length ? end : undefined,
      nextOffset: line < totalLines ? line : undefined,
    }),
  };
}

/** The line that begins at `start`, without its end, and where the next one begins. */
function lineAt(
  text: string,
  start: number,
): { readonly line: string; readonly next: number; readonly endsInCarriageReturn: boolean } {
  const lineFeed = text.indexOf('\n', start);
  const end = lineFeed === -1 ? text.length : lineFeed;
  const endsInCarriageReturn = lineFeed > start && text[lineFeed - 1] === '\r';
  const line = text.slice(start, endsInCarriageReturn ? end - 1 : end);
  return { line, next: lineFeed === -1 ? end : end + 1, endsInCarriageReturn };
}

/** Lines with their numbers, and how to see what they do not show. */
export function renderLines(result: ShownWindow): string {
  if (result.firstLine === 0) return '';
  const width = String(result.lastLine).length;
  const numbered = result.text
    .split('\n')
    .map((line, index) => `${String(result.firstLine + index).padStart(width)} | ${line}`);
  return [...numbered, ...continuations(result)].join('\n');
}

/** The last lines of a window: how to see what it does not show. */
function continuations(result: ShownWindow): readonly string[] {
  const { cutLines, firstCharacter, firstLine, lastLine, lineCharacters, nextCharacterOffset, nextOffset } =
    result;
  const notes: string[] = [];
  const linesLeft = result.totalLines - lastLine;
  if (nextOffset !== undefined)
    notes.push(`${counted(linesLeft, 'more line')}; continue with offset=${nextOffset}`);
  if (nextCharacterOffset !== undefined) {
    const left = (lineCharacters ?? 0) - nextCharacterOffset;
    const how = `offset=${firstLine - 1}, character_offset=${nextCharacterOffset}`;
    notes.push(`${counted(left, 'more character')} of this line; continue with ${how}`);
  }
  const [first] = cutLines ?? [];
  if (first !== undefined && firstCharacter === undefined) {
    const cut = cutLines?.length ?? 0;
    const which =
      cut === 1 ? '1 line is cut; continue it' : `${counted(cut, 'line')} are cut; continue the first`;
    notes.push(`${which} with offset=${first.line - 1}, character_offset=${first.characters}`);
  }
  return notes.map((note) => `[${note}]`);
}
