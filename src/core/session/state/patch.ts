import type { DispatchedEvent } from '../event/event.ts';
import type { SliceOperation } from '../slice/slice.ts';

/** All STATE slices of a session at one moment. Opaque; a reference to immutable data, so taking and keeping one is cheap. */
export interface SessionSnapshot {
  readonly kind: 'session-snapshot';
  /** The session it was taken from. */
  readonly sessionId: string;
}

/** One change of STATE, to be done again on newer state: an event through its reducers, a direct write, or a restore. */
export type SessionOperation = (
  | {
      readonly op: 'event';
      readonly event: string;
      readonly payload: unknown;
      /** Names of the slices whose reducers run. Default: those of all slices that listen to the event. */
      readonly slices?: ReadonlySet<string>;
    }
  | { readonly op: 'write'; readonly slice: string; readonly operation: SliceOperation<unknown> }
  /** Empties a slice, also a LOG slice, as an import or a reset did. No fork records it. */
  | { readonly op: 'clear'; readonly slice: string }
  | { readonly op: 'restore'; readonly snapshot: SessionSnapshot }
) & {
  /** How many entries of the patch's `log` came before it, since reducers may read LOG slices. Default 0. */
  readonly logged?: number;
};

/** Items for the end of one LOG slice, computed once and never again. */
export interface LogAppend {
  readonly slice: string;
  readonly items: readonly unknown[];
}

/**
 * Everything a tool call did to a session. JSON-safe apart from a `restore`, each list in the order things were done. What a fork
 * returns knows its fork, so that applying it runs no reducer twice; any other object with these three lists can be applied as well.
 */
export interface SessionPatch {
  readonly operations: readonly SessionOperation[];
  readonly log: readonly LogAppend[];
  readonly events: readonly DispatchedEvent[];
}

/** True when applying the patch would change nothing and publish no event. */
export function isEmptyPatch(patch: SessionPatch): boolean {
  return patch.operations.length === 0 && patch.log.length === 0 && patch.events.length === 0;
}
