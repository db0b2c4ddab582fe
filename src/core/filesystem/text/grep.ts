import { byteOrderMark } from '../../internal/index.ts';
import { assertPattern, compilePattern, type PatternOptions } from './linear-pattern.ts';

/** One matching line; `line` counts from 1, `text` has no line ending. */
export interface MatchingLine {
  readonly line: number;
  readonly text: string;
}

/** A compiled search. */
export interface Grep {
  /**
   * The matching lines of a text in order, found lazily; yields undefined at intervals where no line matches, so that the caller
   * can pause there.
   */
  matchingLines(text: string): Iterable<MatchingLine | undefined>;
}

function lineAt(text: string, start: number, newline: number): string {
  const end = newline === -1 ? text.length : newline;
  return text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
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
    const newline = text.indexOf('\n', start);
    const content = lineAt(text, start, newline);
    if (test(content) || (namesMark && line === 1 && test(mark + content))) yield { line, text: content };
    else if (line % linesPerPause === 0) yield undefined;
    start = newline === -1 ? text.length : newline + 1;
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
    yield { line, text: lineAt(text, counted, newline) };
    if (newline === -1) return;
    found = text.indexOf(wanted, newline + 1);
  }
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
    return { matchingLines: (text) => literalLines(text, pattern) };
  }
  const compiled = await compilePattern(options);
  const namesMark = pattern.includes(byteOrderMark);
  return { matchingLines: (text) => testedLines(text, (line) => compiled.test(line), namesMark) };
}
