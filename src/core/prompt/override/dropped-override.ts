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
