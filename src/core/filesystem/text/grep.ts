import { byteOrderMark, partOf } from '../../internal/index.ts';
import { assertPattern, compilePattern, type LinearPattern, type PatternOptions } from './linear-pattern.ts';
import { type RequiredText, requiredLiteral } from './required-text.ts';

/** One matching line; `line` counts from 1. */
export interface MatchingLine {
  readonly line: number;
  /** Without a line ending. */
  readonly text: string;
  /** Where the line begins in the searched text, and where the next one does. */
  readonly start: number;
  readonly end: number;
}

/** The part of a matching line that is shown. */
export interface MatchPart {
  /** With `…` where the line is cut. */
  readonly text: string;
  /** The position of the match in a line that is cut, from 1, in UTF-16 units; undefined for a line that is shown whole. */
  readonly column: number | undefined;
  /** Whether the line has more matches, which are not shown. */
  readonly hasMore: boolean;
  /** The part in the searched text; a line that is shown to its end includes the line ending. */
  readonly start: number;
  readonly end: number;
}

/** A compiled search. */
export interface Grep {
  /** What every text has that has a matching line. Undefined: that is not known. */
  readonly required: RequiredText | undefined;
  /**
   * The matching lines of a text in order, found lazily; yields undefined at intervals where no line matches, so that the caller
   * can pause there.
   */
  matchingLines(text: string): Iterable<MatchingLine | undefined>;
  /** A matching line as it is shown: whole, or where it is longer than `maxLength`, by its matches. In order, found lazily. */
  partsOf(line: MatchingLine, maxLength: number): Iterable<MatchPart>;
}

function lineFrom(text: string, line: number, start: number, newline: number): MatchingLine {
  const end = newline === -1 ? text.length : newline;
  return {
    line,
    text: text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end),
    start,
    end: newline === -1 ? end : end + 1,
  };
}

/** The number of lines without a match between two opportunities to pause. */
const linesPerPause = 64;

/** @param namesMark whether the pattern has a byte order mark, which otherwise is not part of the first line. */
function* testedLines(
  text: string,
  test: (line: string) => boolean,
  namesMark: boolean,
): Generator<MatchingLine | undefined, void> {
  let line = 1;
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  for (let start = mark.length; start < text.length; line += 1) {
    const found = lineFrom(text, line, start, text.indexOf('\n', start));
    if (test(found.text) || (namesMark && line === 1 && test(mark + found.text))) yield found;
    else if (line % linesPerPause === 0) yield undefined;
    start = found.end;
  }
}

/** For a literal string without line endings: only the lines that contain it are extracted. */
function* literalLines(text: string, wanted: string): Generator<MatchingLine, void> {
  let line = 1;
  let counted = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  for (let found = text.indexOf(wanted); found !== -1; ) {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < found; at = text.indexOf('\n', counted)) {
      line += 1;
      counted = at + 1;
    }
    const newline = text.indexOf('\n', found);
    yield lineFrom(text, line, counted, newline);
    if (newline === -1) return;
    found = text.indexOf(wanted, newline + 1);
  }
}

/**
 * Each part shows a match with what surrounds it, more of what follows. A match that an earlier part shows has no part of its own. A limited number, so that the
 * time stays linear in the length of the line.
 */
function* partsOf(
  { line, text, start, end }: MatchingLine,
  maxLength: number,
  find: LinearPattern['find'],
): Generator<MatchPart, void> {
  // A byte order mark goes with the first line.
  const lineStart = line === 1 ? 0 : start;
  if (text.length <= maxLength) {
    yield { text, column: undefined, hasMore: false, start: lineStart, end };
    return;
  }
  let at = 0;
  // A pattern that names the mark matches at the start of the line.
  let match = find(text, 0) ?? ([0, 0] as const);
  for (let count = 1; match !== undefined; count += 1) {
    const [matchStart, matchEnd] = match;
    const room = maxLength - Math.min(matchEnd - matchStart, maxLength);
    const latest = Math.max(text.length - maxLength, 0);
    const from = Math.max(at, Math.min(matchStart - Math.floor(room / 3), latest));
    const shown = partOf(text, from, from + maxLength);
    const to = shown.start + shown.text.length;
    const isLast = to === text.length;
    const next = isLast ? undefined : nextMatch(text, match, Math.max(to, at + 1), find);
    yield {
      text: `${shown.start === 0 ? '' : '…'}${shown.text}${isLast ? '' : '…'}`,
      column: matchStart + 1,
      hasMore: count === maxParts && next !== undefined,
      start: shown.start === 0 ? lineStart : start + shown.start,
      end: isLast ? end : start + to,
    };
    if (next === undefined || count === maxParts) return;
    at = Math.min(next[0], Math.max(to, at + 1));
    match = next;
  }
}

/** The parts of one line that are shown at most: others have matches, too. */
const maxParts = 5;

/** How far before the end of a part a match is looked for that goes beyond it, and how often: each search may read the rest of the line. */
const maxStraddling = 64;
const maxSearches = 8;

/** The first match that a part up to `to` does not show to its end, as far as it is found with a limited number of searches. */
function nextMatch(
  text: string,
  [matchStart, matchEnd]: readonly [number, number],
  to: number,
  find: LinearPattern['find'],
): readonly [number, number] | undefined {
  let from = Math.max(matchEnd, matchStart + 1, to - maxStraddling);
  for (let searches = 0; searches < maxSearches && from < to; searches += 1) {
    const next = find(text, from);
    if (next === undefined) return undefined;
    if (next[0] >= to || next[1] > to) return next;
    from = Math.max(next[1], next[0] + 1);
  }
  return find(text, Math.max(from, to));
}

/**
 * Compiles a search for lines. Lines end at `\n`; a `\r` before it is not part of the line, and neither is a byte order mark at the start of
 * the text, which a pattern may name all the same. The time is linear in the text,
 * whatever the pattern.
 * @throws {FilesystemError} `pattern-invalid` for an empty pattern, more than 2,000 characters, bad syntax, or repetitions
 * that make the compiled pattern too large.
 */
export async function compileGrep(options: PatternOptions): Promise<Grep> {
  assertPattern(options);
  const { pattern, literal, ignoreCase } = options;
  if (literal === true && ignoreCase !== true && !/[\r\n]/.test(pattern)) {
    const find: LinearPattern['find'] = (text, from) => {
      const start = text.indexOf(pattern, from);
      return start === -1 ? undefined : [start, start + pattern.length];
    };
    return {
      required: requiredLiteral(pattern),
      matchingLines: (text) => literalLines(text, pattern),
      partsOf: (line, maxLength) => partsOf(line, maxLength, find),
    };
  }
  const compiled = await compilePattern(options);
  const namesMark = pattern.includes(byteOrderMark);
  return {
    required: compiled.required,
    matchingLines: (text) => testedLines(text, (line) => compiled.test(line), namesMark),
    partsOf: (line, maxLength) => partsOf(line, maxLength, compiled.find),
  };
}
