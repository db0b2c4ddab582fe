import type { RunEvent } from '../events/run-event.ts';
import type { EventType } from './event-types.ts';
import type {
  CallCommit,
  DiscardedAttempt,
  ObservedEvaluation,
  ObservedRequest,
  ObservedResponse,
  ObservedState,
} from './observed.ts';

/**
 * Work that an observer can run in a context of its own.
 *
 * - `run`: a whole evaluation, from before its prompt is rendered. Not of a tool runtime, whose life is not one function.
 * - `turn`: one model call with the calls that it asks for. Not of a tool runtime either, nor on a harness, which asks its model itself.
 * - `model-call`: the request of a turn, with the waits before it is sent again. Not on a harness.
 * - `tool-call`: one attempt at a call: policies, handler, approvals.
 */
export type RunScope = ObservedEvaluation & { readonly promptName: string } & (
    | { readonly kind: 'run' }
    | { readonly kind: 'turn' | 'model-call'; readonly turn: number }
    | {
        readonly kind: 'tool-call';
        readonly turn: number;
        readonly callId: string;
        readonly toolName: string;
        /** Number of the attempt, from 1. */
        readonly attempt: number;
      }
  );

/**
 * Observes a run while it happens. Every member is optional, and what no observer has is not built. The run does not wait for an observer.
 * A member may throw or reject: that is logged and changes nothing. Everything an observer gets has passed `redact`, and belongs to the run: it
 * must not be changed.
 *
 * @see docs/spec/events.md §5
 */
export interface RunObserver {
  /**
   * Gets every event of the run, those of evaluations inside its calls included, in the order in which they happen. `evaluation` is the outermost
   * one, also for an event inside a call: an observer of several runs at once tells them apart by it.
   */
  onEvent?(event: RunEvent, evaluation: ObservedEvaluation): unknown;
  /**
   * Types of the events that `onEvent` gets; it is read once, when a run begins. An event that no observer wants is not built, which is most of
   * what an observer costs. Default: every type.
   */
  readonly eventTypes?: readonly RunEvent['type'][];
  /** The state that a run begins with, and what changes it without being a call; before the next commit. */
  onState?(state: ObservedState): unknown;
  /** Each request as the model gets it, as a difference from the request before. */
  onRequest?(request: ObservedRequest): unknown;
  /** Each answer of a model, and each failure to answer. */
  onResponse?(response: ObservedResponse): unknown;
  /**
   * A call that was committed, in the order of the commits, before feedback is added to its result. A call of an evaluation inside another call
   * commits into that call: it is not final until that one commits. With a journal it is called before the commit is durable: a run that ends with a `RunLostError` right
   * then may not have decided it.
   */
  onCommit?(commit: CallCommit): unknown;
  /** An attempt that left nothing but log entries: it was rolled back, denied, rejected, or superseded by another attempt. */
  onDiscard?(attempt: DiscardedAttempt): unknown;
  /**
   * Runs `work` in a context of the observer's, such as an `AsyncLocalStorage`: calls it exactly once, synchronously, and returns what it returns.
   * When it throws before it has called `work`, or never calls it, the work is done without it; a second call is refused.
   */
  around?<T>(scope: RunScope, work: () => T): T;
}

/**
 * The observers of a run as one: each function calls those of all observers that have it, and is absent when none has. None of them
 * throws.
 */
export interface ObserverCalls {
  /** Types of the events that are wanted; others need not be built. */
  readonly eventTypes: ReadonlySet<EventType>;
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
  eventTypes: new Set<EventType>(),
  onEvent: undefined,
  onState: undefined,
  onRequest: undefined,
  onResponse: undefined,
  onCommit: undefined,
  onDiscard: undefined,
  around: undefined,
});
