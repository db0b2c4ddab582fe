import { describeError, MissingPeerError, PromptValidationError } from '../error/index.ts';
import { printable } from './plain-text.ts';

/**
 * What kept a run from asking its model at all, and what to do about it, in one line: a package or a key that is missing, prices to hold a
 * limit on the cost to, a setting that the provider has not. Undefined when it was something else.
 */
export function whyNotBegun(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (MissingPeerError.isInstance(cause)) return printable(cause.message);
    // What packages of the AI SDK throw where the key is not in their environment variable.
    if (cause.name === 'AI_LoadAPIKeyError') return printable(describeError(cause));
    if (!PromptValidationError.isInstance(cause)) continue;
    const { option } = cause.details;
    if (option === 'budget.prices') return `${printable(cause.message)} Here: --prices INPUT/OUTPUT.`;
    if (typeof option === 'string' && option.startsWith('settings.')) return printable(cause.message);
  }
  return undefined;
}
