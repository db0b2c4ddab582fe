import { SessionError } from '../error/index.ts';
import type { DeepReadonly } from '../schema/index.ts';
import type { Slice } from './slice/slice.ts';
import type { ReadonlySessionView } from './slice/view.ts';

/**
 * The items of a slice; none where it is not installed, as in a session that its section was never used with.
 * @internal
 */
export function installedItems<Item>(
  session: ReadonlySessionView,
  slice: Slice<Item>,
): readonly DeepReadonly<Item>[] {
  try {
    return session.slice(slice).all();
  } catch (error) {
    if (SessionError.isInstance(error) && error.code === 'slice-unknown') return [];
    throw error;
  }
}
