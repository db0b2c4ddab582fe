import { describeError, MissingPeerError, PromptValidationError } from '../error/index.ts';
import { printable } from './plain-text.ts';

/**
 * What kept a run from asking its model at all, and what to do about it, in one line: a package, a key, or prices to hold a limit on
 * the cost to. Undefined when it was something else.
 */
export function whatIsLacking(error: unknown): string | undefined {
  if (PromptValidationError.isInstance(error) && error.details['option'] === 'budget.prices') {
    return `${printable(error.message)} Here: --prices INPUT/OUTPUT.`;
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (MissingPeerError.isInstance(cause)) return printable(cause.message);
    // What packages of the AI SDK throw where the key is not in their environment variable.
    if (cause.name === 'AI_LoadAPIKeyError') return printable(describeError(cause));
  }
  return undefined;
}
