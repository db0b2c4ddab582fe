import { PromptValidationError } from '../../error/index.ts';
import { hasLineBreak } from '../template/line-breaks.ts';

/** Identity of a prompt. */
export interface PromptIdentity {
  /** Namespace: parts like a key, joined by `/`. */
  readonly ns: string;
  /** Key within the namespace. */
  readonly key: string;
  /** Name for people and logs. Default: the key. */
  readonly name: string;
}

const keyPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const keyRule = '1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit';

/**
 * A section or prompt key: trimmed, upper case lowered.
 *
 * @param what names the thing in the error, such as `section "Task"`.
 * @throws {PromptValidationError} when it does not match `^[a-z0-9][a-z0-9._-]{0,63}$`.
 */
export function normalizeKey(key: unknown, what: string): string {
  const normal = typeof key === 'string' ? key.trim().toLowerCase() : '';
  if (keyPattern.test(normal)) return normal;
  throw new PromptValidationError(`The key ${shown(key)} of ${what} is not valid: use ${keyRule}.`, {
    details: { placeholder: 'key' },
  });
}

/**
 * A prompt namespace: parts like a key, joined by `/`.
 *
 * @throws {PromptValidationError} when a part is not valid.
 */
export function normalizeNamespace(ns: unknown): string {
  const parts = typeof ns === 'string' ? ns.trim().toLowerCase().split('/') : [];
  if (parts.length > 0 && parts.every((part) => keyPattern.test(part))) return parts.join('/');
  throw new PromptValidationError(
    `The namespace ${shown(ns)} is not valid: use parts joined by "/", each ${keyRule}.`,
    { details: { placeholder: 'ns' } },
  );
}

/**
 * A section title: trimmed, one line.
 *
 * @throws {PromptValidationError} when it is empty or has a line break.
 */
export function normalizeTitle(title: unknown, what: string): string {
  const normal = typeof title === 'string' ? title.trim() : '';
  if (normal !== '' && !hasLineBreak(normal)) return normal;
  throw new PromptValidationError(
    `The title ${shown(title)} of ${what} is not valid: use one line of text.`,
    {
      details: { placeholder: 'title' },
    },
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : `(a ${typeof value})`;
}
