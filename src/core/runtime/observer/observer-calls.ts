import type { RunEvent } from '../events/run-event.ts';
import type { CallCommit, DiscardedAttempt } from './observed-call.ts';
import type { ObservedRequest, ObservedResponse } from './observed-model-call.ts';
import type { ObservedState } from './observed-state.ts';
import type { RunScope } from './run-observer.ts';

/**
 * The observers of a run as one: each function calls those of all observers that have it, and is absent when none has. None of them
 * throws.
 */
export interface ObserverCalls {
  readonly onEvent: ((event: RunEvent) => void) | undefined;
  readonly onState: ((state: ObservedState) => void) | undefined;
  readonly onRequest: ((request: ObservedRequest) => void) | undefined;
  readonly onResponse: ((response: ObservedResponse) => void) | undefined;
  readonly onCommit: ((commit: CallCommit) => void) | undefined;
  readonly onDiscard: ((attempt: DiscardedAttempt) => void) | undefined;
  /** Does `work` in the contexts of the observers, once, and returns what it returns. Throws only what `work` throws. */
  readonly around: (<T>(scope: RunScope, work: () => T) => T) | undefined;
}

/** A run that is not observed. */
export const noObservers: ObserverCalls = Object.freeze({
  onEvent: undefined,
  onState: undefined,
  onRequest: undefined,
  onResponse: undefined,
  onCommit: undefined,
  onDiscard: undefined,
  around: undefined,
});
