import { RE2JS } from 're2js';
import { describeError, FilesystemError } from '../error/index.ts';

/** The most UTF-16 units in a pattern. */
const MAX_PATTERN_LENGTH = 2000;
/** The most instructions of a compiled pattern: each costs at most one step for each character searched. */
const MAX_PROGRAM_SIZE = 5000;

/** What to look for in a line. */
export interface GrepPattern {
  /** RE2 syntax (no look-around, no back-references), or plain text when `literal`. */
  readonly pattern: string;
  /** Default: false. */
  readonly literal?: boolean;
  /** Default: false. */
  readonly ignoreCase?: boolean;
}

/** One matching line; `line` counts from 1, `text` has no line ending. */
export interface MatchingLine {
  readonly line: number;
  readonly text: string;
}

/** A compiled search. */
export interface Grep {
  /** The matching lines of a text in order, found as they are asked for. */
  matchingLines(text: string): Iterable<MatchingLine>;
}

function invalid(pattern: string, problem: string, cause?: unknown): FilesystemError {
  const shown = pattern.length > 120 ? `${pattern.slice(0, 120)}…` : pattern;
  return new FilesystemError('invalid-pattern', `The pattern ${JSON.stringify(shown)} ${problem}`, {
    cause,
    details: { pattern: shown },
  });
}

function compileExpression({ pattern, literal, ignoreCase }: GrepPattern): RE2JS {
  let expression: RE2JS;
  try {
    const source = literal === true ? RE2JS.quote(pattern) : pattern;
    expression = RE2JS.compile(source, ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw invalid(
      pattern,
      `is no regular expression in RE2 syntax: ${describeError(error)}. Set literal to search for it as plain text.`,
      error,
    );
  }
  if (expression.programSize() > MAX_PROGRAM_SIZE)
    throw invalid(pattern, 'is too large. Use smaller repetitions.');
  return expression;
}

function lineAt(text: string, start: number, newline: number): string {
  const end = newline === -1 ? text.length : newline;
  return text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
}

function* testedLines(text: string, test: (line: string) => boolean): Generator<MatchingLine, void> {
  let line = 1;
  for (let start = 0; start < text.length; line += 1) {
    const newline = text.indexOf('\n', start);
    const content = lineAt(text, start, newline);
    if (test(content)) yield { line, text: content };
    start = newline === -1 ? text.length : newline + 1;
  }
}

/** For a plain text without line endings: only lines that hold it are cut out. */
function* literalLines(text: string, wanted: string): Generator<MatchingLine, void> {
  let line = 1;
  let counted = 0;
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
 * Compiles a search for lines. Lines end at `\n`; a `\r` before it belongs to no line. The time is linear in the text,
 * whatever the pattern.
 * @throws {FilesystemError} `invalid-pattern` for an empty pattern, more than 2,000 characters, bad syntax, or repetitions
 * that make the compiled pattern too large.
 */
export function compileGrep(options: GrepPattern): Grep {
  const { pattern, literal, ignoreCase } = options;
  if (typeof pattern !== 'string' || pattern === '') {
    throw new FilesystemError(
      'invalid-pattern',
      'The pattern is empty. Give the text or expression to search for.',
    );
  }
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw invalid(pattern, `is longer than ${MAX_PATTERN_LENGTH} characters. Shorten it.`);
  }
  if (literal === true && ignoreCase !== true && !/[\r\n]/.test(pattern)) {
    return { matchingLines: (text) => literalLines(text, pattern) };
  }
  const expression = compileExpression(options);
  return { matchingLines: (text) => testedLines(text, (line) => expression.test(line)) };
}
