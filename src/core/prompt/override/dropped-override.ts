import { describeError, PromptValidationError } from '../../error/index.ts';

/**
 * An override that was written and not applied, so that the text of the code remains.
 *
 * - `stale`: the code says something else by now than when the override was written.
 * - `unknown`: the prompt has no such section, text, tool, parameter.
 * - `refused`: the section or the tool accepts no overrides.
 * - `invalid`: the text cannot be used, such as a template with a name that is not a param of the section.
 */
export interface DroppedOverride {
  /** What it was for: `section "guide" body`, `tool "search" param "city"`. */
  readonly target: string;
  readonly reason: 'stale' | 'unknown' | 'refused' | 'invalid';
  /** One sentence: what is wrong, and what to do. */
  readonly message: string;
}

/** Tells of an override that is not applied. */
export type Drop = (target: string, reason: DroppedOverride['reason'], message: string) => void;

/** Whether the code still says what an override of a text was written for; otherwise it is dropped. */
export function isFresh(
  owner: string,
  what: string,
  hash: string,
  present: string | undefined,
  drop: Drop,
): boolean {
  if (present === undefined) {
    drop(`${owner} ${what}`, 'unknown', `The ${owner} has no ${what} in its code. Take the override out.`);
  } else if (present !== hash) {
    const message = `The ${what} of ${owner} in the code has changed. Look at it, then seed it anew.`;
    drop(`${owner} ${what}`, 'stale', message);
  }
  return present === hash;
}

/** What an override makes; undefined when it cannot be used, and is dropped. */
export function ifUsable<Made>(target: string, drop: Drop, make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    drop(target, 'invalid', describeError(error));
    return undefined;
  }
}
