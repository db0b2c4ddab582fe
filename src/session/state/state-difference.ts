import { none } from '../../internal/index.ts';
import type { SliceOperation } from '../slice/operation.ts';
import type { StoredSlice } from '../slice/slice.ts';
import { KeyedState, SequenceState, type SliceState } from '../slice/slice-state.ts';
import type { LogAppend } from './patch.ts';
import type { Registry } from './registry.ts';
import { type SessionState, sliceStateIn } from './session-state.ts';
import type { SliceWrite } from './slice-write.ts';

/** What makes one state of a session into a later one. */
export interface StateDifference {
  /** Slices with the operations that were done to them; those of one slice in their order. A LOG slice is here only when it began anew. */
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
    else for (const operation of operationsBetween(from, to)) writes.push({ slice: slice.name, operation });
  }
  return { writes, log };
}

/** All items of some slices, as the difference from empty ones. */
export function wholeState(slices: Iterable<StoredSlice>, state: SessionState): StateDifference {
  const writes: SliceWrite[] = [];
  const log: LogAppend[] = [];
  for (const slice of slices) {
    const items = sliceStateIn(state, slice).all();
    if (items.length === 0) continue;
    if (slice.policy === 'log') log.push({ slice: slice.name, items });
    else writes.push({ slice: slice.name, operation: { op: 'extend', items } });
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
  if (!isAppended && from.length > 0) writes.push({ slice: name, operation: { op: 'clear' } });
  const items = isAppended ? appendedItems(from, to) : to.all();
  if (items.length > 0) log.push({ slice: name, items });
}

function appendedItems(from: SequenceState, to: SequenceState): readonly unknown[] {
  const count = Math.min(to.appended - from.appended, to.length);
  return Array.from({ length: count }, (_, index) => to.at(to.length - count + index));
}

function operationsBetween(from: SliceState, to: SliceState): readonly SliceOperation<unknown>[] {
  if (to.length === 0) return from.length === 0 ? none : [{ op: 'clear' }];
  if (from.length === 0) return [{ op: 'extend', items: to.all() }];
  const operations =
    from instanceof KeyedState && to instanceof KeyedState
      ? to.changesSince(from)
      : from instanceof SequenceState && to instanceof SequenceState && to.extends(from)
        ? extension(from, to)
        : undefined;
  return operations ?? [{ op: 'replace', items: to.all() }];
}

function extension(from: SequenceState, to: SequenceState): readonly SliceOperation<unknown>[] {
  const items = appendedItems(from, to);
  return items.length === 0 ? none : [{ op: 'extend', items }];
}
