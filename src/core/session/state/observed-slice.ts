import type { StoredSlice } from '../slice/slice.ts';
import { internalsOf } from '../slice/slice-internals.ts';
import { SequenceState } from '../slice/slice-state.ts';
import type { Registry } from './registry.ts';
import { sliceStateIn } from './session-state.ts';

/** A slice as far as a reader of its items has to know it. */
export interface ObservedSlice {
  readonly name: string;
  readonly policy: 'state' | 'log';
  /** True when items are addressed by a key. */
  readonly isKeyed: boolean;
  /** Version of the shape of the items. */
  readonly version: number;
  /** How many items a LOG slice keeps; absent: all. */
  readonly retain?: number;
}

/** @param registry of the session that the slice is installed in: it may keep fewer items than the slice was declared with. */
export function observedSlice(registry: Registry, slice: StoredSlice): ObservedSlice {
  const { name, policy, keyed } = slice;
  const { version } = internalsOf(slice);
  const initial = sliceStateIn(registry.initialState, slice);
  const retain = initial instanceof SequenceState ? initial.retain : undefined;
  const described = { name, policy, isKeyed: keyed, version };
  return retain === undefined ? described : { ...described, retain };
}
