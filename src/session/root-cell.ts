import type { Dispatcher } from './dispatcher.ts';
import { Registry } from './registry.ts';
import { emptySessionState, type SessionState } from './session-state.ts';
import type { Lineage } from './snapshot.ts';
import type { Change, StateCell } from './state-cell.ts';

/** The state of a root session: changes take effect at once and subscribers hear right after. */
export class RootCell implements StateCell {
  readonly sessionId: string;
  readonly registry: Registry = new Registry();
  lineage: Lineage = Object.freeze({});
  readonly recorder = undefined;
  readonly isFork = false;
  readonly #dispatcher: Dispatcher;
  #current: SessionState = emptySessionState;

  constructor(sessionId: string, dispatcher: Dispatcher) {
    this.sessionId = sessionId;
    this.#dispatcher = dispatcher;
  }

  get current(): SessionState {
    return this.#current;
  }

  /** Takes over slices, state and lineage of another cell. This one must be new. */
  become(other: RootCell): void {
    this.registry.adopt(other.registry);
    this.lineage = other.lineage;
    this.#current = other.current;
  }

  commit({ next, events = [] }: Change): void {
    this.#current = next;
    for (const event of events) this.#dispatcher.deliver(event, this.sessionId);
  }
}
