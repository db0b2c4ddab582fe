import { PromptValidationError } from '../error/index.ts';
import type { Prompt } from '../prompt/index.ts';
import type { PromptPort } from '../tool/index.ts';

/** @throws {PromptValidationError} for what is not a prompt, such as a template that was not bound. */
export function assertPrompt<Output>(prompt: PromptPort<Output>): asserts prompt is Prompt<Output> {
  // Code without types may give anything.
  const given: unknown = prompt;
  if (typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'prompt') return;
  throw new PromptValidationError('Only a prompt can be evaluated: bind the params of a template first.', {
    details: { option: 'prompt' },
  });
}
