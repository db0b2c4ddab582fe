import { SessionError } from '../../error/index.ts';
import { internalsOf } from './define-slice.ts';
import type { Slice } from './slice.ts';
import type { AnySlice, ReadonlySessionView } from './view.ts';

/** Whether a slice says what a model must still know of its items. */
export function hasDigest(slice: AnySlice): slice is Slice<unknown> {
  return slice.kind === 'slice' && internalsOf(slice).digest !== undefined;
}

/**
 * What a model must still know of the items of a slice; empty for nothing.
 *
 * @throws {SessionError} `slice-invalid` for a digest that is not a text; what the function of the slice throws.
 */
export function digestOf(slice: Slice<unknown>, session: ReadonlySessionView): string {
  const text = internalsOf(slice).digest?.(session.slice(slice).all());
  if (typeof text === 'string') return text;
  throw new SessionError(
    'slice-invalid',
    `The digest of slice ${slice.name} returned no text. Return a string, empty for nothing.`,
    { details: { slice: slice.name } },
  );
}
