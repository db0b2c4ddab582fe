import type { StoredSlice } from '../slice/slice.ts';

/**
 * One read of a fork, on which its outcome may depend: a whole STATE slice, a whole LOG slice, one key of a keyed slice (also an absent
 * one), or the STATE slices that a restore put back.
 */
export interface SessionRead {
  readonly kind: 'slice' | 'log' | 'key' | 'restore';
  /** The read in a short phrase, such as `slice plan`: what `conflicts()` would say of it. */
  readonly what: string;
  /** Absent for `restore`. */
  readonly slice?: string;
  /** Only for `key`. */
  readonly key?: string;
  /** What was found when the fork was made, as JSON; only where it is asked for. */
  readonly result?: string;
}

/** Whether a read is one of a session, and not of files. */
export function isSessionRead(read: { readonly kind: string }): read is SessionRead {
  return read.kind === 'slice' || read.kind === 'log' || read.kind === 'key' || read.kind === 'restore';
}

/** The stored items that a read covers: a whole STATE slice, a whole LOG slice, or one key of a keyed slice (also an absent key). */
export type ReadTarget =
  | { readonly kind: 'slice'; readonly slice: StoredSlice }
  | { readonly kind: 'log'; readonly slice: StoredSlice }
  | { readonly kind: 'key'; readonly slice: StoredSlice; readonly key: string };

/**
 * A read on which the outcome or the text of a tool call can depend.
 *
 * - `reducer-view`: a read by a reducer through its session view.
 * - `reducer-items`: a read by a keyed slice's own reducers, once the call has read a key of that slice.
 * - `refusal`: a read by the reducers of an event among their own items when one of them refused.
 * - `acceptance`: the same when all of them accepted, in an inner call that was not applied: for an applied one,
 *   applying its events again shows whether they are still accepted.
 * - `restore`: every STATE slice that a restore replaced.
 */
export type Read =
  | ReadTarget
  | { readonly kind: 'reducer-view'; readonly target: ReadTarget }
  | { readonly kind: 'reducer-items'; readonly target: ReadTarget }
  | { readonly kind: 'refusal'; readonly target: ReadTarget; readonly event: string }
  | { readonly kind: 'acceptance'; readonly target: ReadTarget; readonly event: string }
  | { readonly kind: 'restore'; readonly slices: readonly StoredSlice[] };

/** Records the reads of a tool call. A root session has none. */
export interface ReadRecorder {
  /** Records a read. */
  read(read: Read): void;
  /**
   * Records what a slice's own reducers read when they accepted an event. It does not count as a read yet, since applying the
   * event again reads it again; it does once the call reads a key of that slice, or when an inner call is not applied.
   */
  accepted(target: ReadTarget, event: string): void;
}

/** The target that covers a whole slice. */
export function wholeSliceTarget(slice: StoredSlice): ReadTarget {
  return { kind: slice.policy === 'log' ? 'log' : 'slice', slice };
}
