import { type ErrorDetails, hasErrorMarker, WinkError } from './wink-error.ts';

/**
 * What went wrong with prompt overrides.
 *
 * - `overrides-corrupt`: what is stored is no JSON, or not of the form of overrides.
 * - `overrides-mismatch`: they were made for another prompt or tag.
 * - `overrides-unsupported-version`: they were written by a newer version of the library.
 * - `overrides-conflict`: somebody else changed them meanwhile, or holds them.
 * - `overrides-storage-failed`: they could not be read or written.
 */
export type OverridesErrorCode =
  | 'overrides-corrupt'
  | 'overrides-mismatch'
  | 'overrides-unsupported-version'
  | 'overrides-conflict'
  | 'overrides-storage-failed';

/** Prompt overrides that could not be loaded, kept or used at all. A single stale entry is no error: it is dropped and reported. */
export class OverridesError extends WinkError<OverridesErrorCode> {
  constructor(
    code: OverridesErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super('OverridesError', message, { code, ...options });
  }

  /** Recognises this error, also one made by another loaded copy of the package. */
  static override isInstance(value: unknown): value is OverridesError {
    return hasErrorMarker(value, 'OverridesError');
  }
}
