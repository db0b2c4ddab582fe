import { type ErrorDetails, PromptValidationError } from '../error/index.ts';
import { startOf } from '../internal/index.ts';

const toolName = /^[a-z0-9_-]{1,64}$/;
/** Most characters of a description that the author of a prompt writes. */
export const maxOwnDescriptionCharacters = 200;

/**
 * Checks the name of a tool or hosted tool: 1 to 64 of `a-z`, `0-9`, `_`, `-`.
 *
 * @throws {PromptValidationError} with `details.tool` and `details.placeholder` `'name'`.
 * @see docs/spec/tools.md §1
 */
export function assertToolName(name: unknown): asserts name is string {
  if (typeof name === 'string' && toolName.test(name)) return;
  const start = typeof name === 'string' ? startOf(name, 80) : undefined;
  const shown = start === undefined ? typeof name : JSON.stringify(start);
  throw new PromptValidationError(
    `A tool's name must be 1 to 64 lower-case letters, digits, "_" or "-", but it is ${shown}.`,
    { details: { tool: start ?? '', placeholder: 'name' } },
  );
}

/**
 * Checks a description for the model: at least 1 character once surrounding blanks are taken off.
 *
 * @param owner names whose description it is, for the message.
 * @param maxCharacters default: 200.
 * @returns the description without surrounding blanks.
 * @throws {PromptValidationError} with `details` and `details.placeholder` `'description'`.
 */
export function assertDescription(
  description: unknown,
  owner: string,
  details: ErrorDetails = {},
  maxCharacters: number = maxOwnDescriptionCharacters,
): string {
  const text = typeof description === 'string' ? description.trim() : '';
  const length = [...text].length;
  if (length >= 1 && length <= maxCharacters) return text;
  const actual = typeof description === 'string' ? `it has ${length}` : `it is ${typeof description}`;
  throw new PromptValidationError(
    `The description of ${owner} must have 1 to ${maxCharacters} characters, but ${actual}.`,
    { details: { placeholder: 'description', ...details } },
  );
}
