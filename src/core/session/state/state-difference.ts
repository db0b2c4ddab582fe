import { none } from '../../internal/index.ts';
import { internalsOf } from '../slice/define-slice.ts';
import {
  KeyedState,
  SequenceState,
  type SliceState,
  type SliceStep,
  type StoredSlice,
} from '../slice/slice.ts';
import { type Registry, type SessionState, sliceStateIn } from './cell.ts';
import type { LogAppend } from './patch.ts';

/** A step of one slice. Applied in order, such steps make one state of a session into another. */
export type SliceWrite = { readonly slice: string } & SliceStep;

/** What makes one state of a session into a later one. */
export interface StateDifference {
  /** What was done to STATE slices, in order. A LOG slice is here only when it began anew. */
  readonly writes: readonly SliceWrite[];
  /** What was appended to LOG slices. Items that a slice no longer retains are left out. */
  readonly log: readonly LogAppend[];
}

const noDifference: StateDifference = Object.freeze({ writes: none, log: none });

/**
 * The difference between two states of one session, in time proportional to the number of slices and to what changed.
 *
 * @param registry knows the slices.
 */
export function stateDifference(
  registry: Registry,
  before: SessionState,
  after: SessionState,
): StateDifference {
  if (before.slices === after.slices && before.logs === after.logs) return noDifference;
  const writes: SliceWrite[] = [];
  const log: LogAppend[] = [];
  for (const slice of registry.slices().values()) {
    const from = sliceStateIn(before, slice);
    const to = sliceStateIn(after, slice);
    if (from === to) continue;
    if (slice.policy === 'log') logDifference(slice, from, to, { writes, log });
    else for (const step of stepsBetween(from, to)) writes.push({ slice: slice.name, ...step });
  }
  return { writes, log };
}

/** All items of some slices, as the difference from empty ones. */
export function wholeState(slices: Iterable<StoredSlice>, state: SessionState): StateDifference {
  const writes: SliceWrite[] = [];
  const log: LogAppend[] = [];
  for (const slice of slices) {
    const held = sliceStateIn(state, slice);
    if (slice.policy === 'state') {
      for (const step of stepsTo(held)) writes.push({ slice: slice.name, ...step });
    } else if (held.length > 0) {
      log.push({ slice: slice.name, items: held.all() });
    }
  }
  return { writes, log };
}

function logDifference(
  { name }: StoredSlice,
  from: SliceState,
  to: SliceState,
  { writes, log }: { readonly writes: SliceWrite[]; readonly log: LogAppend[] },
): void {
  const isAppended = from instanceof SequenceState && to instanceof SequenceState && to.extends(from);
  if (!isAppended && from.length > 0) writes.push({ slice: name, op: 'clear' });
  const items = isAppended ? appendedItems(from, to) : to.all();
  if (items.length > 0) log.push({ slice: name, items });
}

function appendedItems(from: SequenceState, to: SequenceState): readonly unknown[] {
  const count = Math.min(to.appended - from.appended, to.length);
  return Array.from({ length: count }, (_, index) => to.at(to.length - count + index));
}

/** What fills an empty slice. */
function stepsTo(state: SliceState): readonly SliceStep[] {
  if (state.length === 0) return none;
  return state instanceof KeyedState ? state.steps() : [{ op: 'append', items: state.all() }];
}

function stepsBetween(from: SliceState, to: SliceState): readonly SliceStep[] {
  if (to.length === 0) return from.length === 0 ? none : [{ op: 'clear' }];
  if (from.length === 0) return stepsTo(to);
  if (from instanceof KeyedState && to instanceof KeyedState) return to.stepsSince(from);
  if (!(from instanceof SequenceState && to instanceof SequenceState && to.extends(from)))
    return [{ op: 'clear' }, ...stepsTo(to)];
  const items = appendedItems(from, to);
  return items.length === 0 ? none : [{ op: 'append', items }];
}

/** The state of a session or fork at one moment, LOG slices included, to compare a later one with. Opaque, and a reference. */
export class StateMark {
  readonly #state: SessionState;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** All items of some slices at that moment. A slice that was installed later has its initial ones. */
  wholeState(slices: Iterable<StoredSlice>): StateDifference {
    return wholeState(slices, this.#state);
  }

  /** @param registry of the session that the mark is of. */
  differenceTo(registry: Registry, later: SessionState): StateDifference {
    return stateDifference(registry, this.#state, later);
  }
}

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
