import { PromptValidationError } from 'weakincentives';

/** The validation error that `action` throws. */
export function refusal(action: () => unknown): PromptValidationError {
  try {
    action();
  } catch (error) {
    if (PromptValidationError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
