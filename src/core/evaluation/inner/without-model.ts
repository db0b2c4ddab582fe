import { PromptValidationError } from '../../error/index.ts';
import type { NestedAdapter } from '../../tool/index.ts';

/**
 * The adapter of handlers where there is no model to evaluate on.
 *
 * @param refusal the message of the error that each evaluation rejects with.
 */
export function withoutModel(name: string, refusal: string): NestedAdapter {
  return Object.freeze({
    name,
    evaluate: () => Promise.reject(new PromptValidationError(refusal, { details: { option: 'adapter' } })),
  } satisfies NestedAdapter);
}
