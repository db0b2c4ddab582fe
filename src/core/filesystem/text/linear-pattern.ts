import type { RE2JS } from 're2js';
import { describeError, FilesystemError } from '../../error/index.ts';
import { cutAfter, quoteText } from '../../internal/index.ts';
import { type RequiredText, requiredByEngine } from './required-text.ts';

/** The maximum number of UTF-16 units in a pattern. */
const maxPatternLength = 2000;
/** The maximum number of instructions of a compiled pattern: each costs at most one step for each character searched. */
const maxProgramSize = 5000;

/** What to search for. */
export interface PatternOptions {
  /** RE2 syntax (no look-around, no back-references), or plain text when `literal`. */
  readonly pattern: string;
  /** Default: false. */
  readonly literal?: boolean;
  /** Default: false. */
  readonly ignoreCase?: boolean;
}

/** A compiled pattern. All operations take time linear in the text, whatever the pattern. */
export interface LinearPattern {
  /** Its instructions: each costs at most one step for each character searched. */
  readonly size: number;
  /** What every text has in which the pattern is found. Undefined: that is not known. */
  readonly required: RequiredText | undefined;
  /** True when the pattern is found in the text. */
  test(text: string): boolean;
  /** Where the first match begins that begins at `from` or later, and where it ends; undefined when there is none. */
  find(text: string, from: number): readonly [start: number, end: number] | undefined;
  /** The text with every match replaced; the replacement is taken literally. */
  replaceAll(text: string, replacement: string): string;
}

/**
 * Compiles a pattern, which may come from an untrusted source. The first pattern loads the engine, which is large.
 * @throws {FilesystemError} `pattern-invalid` for an empty pattern, more than 2,000 characters, bad syntax, or repetitions
 * that make the compiled pattern too large.
 */
export async function compilePattern(options: PatternOptions): Promise<LinearPattern> {
  assertPattern(options);
  const { RE2JS: engine } = await import('re2js');
  const expression = compileExpression(engine, options);
  return {
    size: expression.programSize(),
    required: requiredByEngine(expression.re2().prefilter),
    test: (text) => expression.test(text),
    find: (text, from) => {
      const matcher = expression.matcher(text);
      return from <= text.length && matcher.find(from) ? [matcher.start(), matcher.end()] : undefined;
    },
    replaceAll: (text, replacement) =>
      expression.matcher(text).replaceAll(engine.quoteReplacement(replacement)),
  };
}

/** @throws {FilesystemError} `pattern-invalid` for an empty pattern or more than 2,000 characters. */
export function assertPattern({ pattern }: PatternOptions): void {
  if (typeof pattern !== 'string' || pattern === '') {
    throw new FilesystemError(
      'pattern-invalid',
      'The pattern is empty. Give the text or expression to search for.',
    );
  }
  if (pattern.length > maxPatternLength) {
    throw invalid(pattern, `is longer than ${maxPatternLength} characters. Shorten it.`);
  }
}

function invalid(pattern: string, problem: string, cause?: unknown): FilesystemError {
  const shown = cutAfter(pattern, 120);
  return new FilesystemError('pattern-invalid', `The pattern ${quoteText(shown)} ${problem}`, {
    cause,
    details: { pattern: shown },
  });
}

function compileExpression(engine: typeof RE2JS, { pattern, literal, ignoreCase }: PatternOptions): RE2JS {
  let expression: RE2JS;
  try {
    const source = literal === true ? engine.quote(pattern) : pattern;
    expression = engine.compile(source, ignoreCase === true ? engine.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw invalid(
      pattern,
      `is not a regular expression in RE2 syntax: ${describeError(error)}. Set literal to search for it as plain text.`,
      error,
    );
  }
  if (expression.programSize() > maxProgramSize)
    throw invalid(pattern, 'is too large. Use smaller repetitions.');
  return expression;
}
