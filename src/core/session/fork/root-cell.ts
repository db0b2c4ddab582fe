import { SessionError } from '../../error/index.ts';
import type { Dispatcher, EventDelivery } from '../event/dispatcher.ts';
import type { DispatchedEvent } from '../event/event.ts';
import type { AnySlice } from '../slice/derived-slice.ts';
import { assertRetain } from '../slice/slice-internals.ts';
import { SequenceState } from '../slice/slice-state.ts';
import type { LogAppend, SessionOperation } from '../state/patch.ts';
import { Registry } from '../state/registry.ts';
import { type SessionState, sliceStateIn, withSliceState } from '../state/session-state.ts';
import type { Lineage } from '../state/snapshot.ts';
import type { StateCell } from './state-cell.ts';

/** Options of `Session.install`. */
export interface SliceInstallOptions {
  /**
   * LOG slices: this session keeps only the last so many items, an integer of at least 1, and drops the others at once; over the
   * `retain` that the slice was declared with. Clones take it over. Default: as before, at first as declared.
   */
  readonly retain?: number;
}

/** The state of a root session: changes take effect at once and subscribers are called right after. */
export class RootCell implements StateCell {
  readonly sessionId: string;
  readonly registry: Registry = new Registry();
  lineage: Lineage = Object.freeze({});
  readonly recorder = undefined;
  readonly isFork = false;
  readonly #dispatcher: Dispatcher;
  /** Why the session can be neither read nor changed any more. */
  lost: Error | undefined;
  /** Subscribers are not called: what happens has happened before. */
  isMuted = false;
  current: SessionState = this.registry.initialState;

  constructor(sessionId: string, dispatcher: Dispatcher) {
    this.sessionId = sessionId;
    this.#dispatcher = dispatcher;
  }

  /** Takes over slices, state and lineage of another cell. This one must be new. */
  become(other: RootCell): void {
    this.registry.adopt(other.registry);
    this.lineage = other.lineage;
    this.current = { ...other.current, layout: this.registry.initialState.layout };
  }

  install(given: AnySlice, { retain }: SliceInstallOptions): void {
    const slice = given.kind === 'derived-slice' ? given.source : given;
    if (retain !== undefined) assertRetain(slice, retain);
    this.registry.install(slice);
    if (retain === undefined) return;
    this.registry.bound(slice, retain);
    const state = sliceStateIn(this.current, slice);
    // The LOG slices are the same.
    if (state instanceof SequenceState)
      this.current = withSliceState(this.current, slice, state.retaining(retain));
  }

  assertUsable(use: 'read' | 'write'): void {
    if (this.lost !== undefined) throw this.lost;
    if (this.registry.isDisposed && use === 'write') {
      throw new SessionError(
        'session-disposed',
        `Session ${this.sessionId} has been disposed and cannot be changed any more.`,
      );
    }
    if (this.registry.isReducing) throw usedByReducer();
  }

  commit(
    next: SessionState,
    _operation: SessionOperation | undefined,
    _log: readonly LogAppend[],
    event: DispatchedEvent | undefined,
  ): void {
    this.current = next;
    if (event !== undefined) this.deliver(event);
  }

  /** Calls the subscribers of an event. */
  deliver(event: DispatchedEvent, delivery?: EventDelivery): void {
    if (!this.isMuted) this.#dispatcher.deliver(event, this.sessionId, delivery);
  }
}

function usedByReducer(): SessionError {
  return new SessionError(
    'reducer-failed',
    'A reducer, or the migrate of a slice, used the session directly. It may use only what it is given.',
  );
}
