import { assertArgument, describeError, PromptValidationError } from '../../error/index.ts';
import { compilePattern, type LinearPattern } from '../../filesystem/index.ts';
import type { Redaction } from './redactor.ts';

/**
 * A redaction that replaces all matches of the patterns, in their order, by `<redacted>`. Patterns are in RE2
 * syntax and may come from a configuration: the time is linear in the text, whatever they are. `^` and `$` match the
 * ends of a text. A promise, since the engine for patterns is loaded when the first one is compiled.
 *
 * @throws {PromptValidationError} (the promise rejects) for a pattern that is empty, longer than 2,000 characters, too large or wrongly written, or
 *   that an empty text matches.
 */
export async function redactPatterns(patterns: readonly string[]): Promise<Redaction> {
  assertArgument('redactPatterns()', 'patterns', patterns, 'array');
  const compiled = await Promise.all(patterns.map(compile));
  return (text) => compiled.reduce((rest, pattern) => pattern.replaceAll(rest, '<redacted>'), text);
}

async function compile(pattern: string): Promise<LinearPattern> {
  let compiled: LinearPattern;
  try {
    compiled = await compilePattern({ pattern });
  } catch (cause) {
    throw invalid(pattern, describeError(cause), cause);
  }
  if (compiled.test('')) throw invalid(pattern, `"${pattern}" is found in a text that is empty.`);
  return compiled;
}

function invalid(pattern: string, problem: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`A pattern to redact cannot be used. ${problem}`, {
    cause,
    details: { option: 'redact', pattern },
  });
}
