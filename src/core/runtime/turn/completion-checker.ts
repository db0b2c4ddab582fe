import { PromptValidationError } from '../../error/index.ts';
import { isRecord } from '../../internal/index.ts';
import { allCompletions, type CompletionChecker } from '../../tool/index.ts';

/**
 * The option `completion` as one checker, which needs all of a list.
 *
 * @throws {PromptValidationError} for an empty list, and for a checker without name or function.
 */
export function toCompletionChecker(
  given: CompletionChecker | readonly CompletionChecker[],
): CompletionChecker {
  const option: unknown = given;
  if (isRecord(option) && 'checker' in option) {
    throw invalid(
      'is a checker or a list of checkers; how often it is checked is limits.maxCompletionChecks',
    );
  }
  const checkers: readonly unknown[] = Array.isArray(option) ? option : [option];
  for (const checker of checkers) assertChecker(checker);
  if (checkers.length === 0) throw invalid('must have at least one checker; leave it out for none');
  // Each of them was checked above.
  return allCompletions(checkers as readonly CompletionChecker[]);
}

function assertChecker(checker: unknown): void {
  if (!isRecord(checker) || typeof checker['check'] !== 'function')
    throw invalid('must have a checker with a function check');
  const { name } = checker;
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalid('must have a checker with a name');
  }
}

function invalid(problem: string): PromptValidationError {
  return new PromptValidationError(`The option completion ${problem}.`, {
    details: { option: 'completion' },
  });
}
