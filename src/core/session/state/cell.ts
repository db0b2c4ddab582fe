import { SessionError } from '../../error/index.ts';
import type { AnyEvent, DispatchedEvent, Dispatcher, EventDelivery } from '../event/event.ts';
import { type AnyReducerBinding, assertRetain, internalsOf } from '../slice/define-slice.ts';
import type { ErasedReducer } from '../slice/reducer.ts';
import {
  SequenceState,
  type SlicePolicy,
  type SliceState,
  type StoredSlice,
  sliceError,
} from '../slice/slice.ts';
import type { AnySlice } from '../slice/view.ts';
import type { LogAppend, SessionOperation } from './patch.ts';
import type { ReadRecorder } from './read.ts';

/** The place of each slice, by name, in the lists of all states of one session. It only ever grows. */
export type SliceLayout = ReadonlyMap<string, number>;

/** The states of slices at their places. A slice that was never written has none and holds its initial items. */
export type SliceStates = readonly (SliceState | undefined)[];

/** STATE slices and where to find them. */
export interface PlacedSlices {
  readonly layout: SliceLayout;
  readonly slices: SliceStates;
}

/** The same list with another state at one place. */
export function withState(states: SliceStates, place: number, next: SliceState | undefined): SliceStates {
  const changed = [...states];
  while (changed.length < place) changed.push(undefined);
  changed[place] = next;
  return changed;
}

/**
 * Everything a session holds at one moment. Immutable, but for a layout that grows. A session has tens of slices, so that copying a
 * list at a change is cheap, and reading is one look-up.
 */
export interface SessionState extends PlacedSlices {
  /** LOG slices. */
  readonly logs: SliceStates;
}

/** The state of one slice of either policy. */
export function sliceStateIn(state: SessionState, slice: StoredSlice): SliceState {
  const place = state.layout.get(slice.name);
  const states = slice.policy === 'log' ? state.logs : state.slices;
  return (place === undefined ? undefined : states[place]) ?? internalsOf(slice).initial;
}

/** The same session state with one slice changed; the very same object when nothing changes. */
export function withSliceState(state: SessionState, slice: StoredSlice, next: SliceState): SessionState {
  const place = state.layout.get(slice.name);
  if (place === undefined) {
    throw sliceError('slice-unknown', slice.name, 'is not installed in this session.');
  }
  const { layout, slices, logs } = state;
  const states = slice.policy === 'log' ? logs : slices;
  if (next === (states[place] ?? internalsOf(slice).initial)) return state;
  const changed = place < states.length ? states.with(place, next) : withState(states, place, next);
  return slice.policy === 'log' ? { layout, slices, logs: changed } : { layout, slices: changed, logs };
}

/** Where an event goes: slices of one policy, each with its reducers in order. */
export interface EventRoute {
  readonly event: AnyEvent;
  readonly policy: SlicePolicy;
  readonly targets: readonly RouteTarget[];
}

/** One slice that an event feeds. */
export interface RouteTarget {
  readonly slice: StoredSlice;
  readonly reducers: readonly ErasedReducer[];
}

/** The slices and events that a session knows, and whether it can be used. Shared with its forks; it only ever grows. */
export class Registry {
  readonly #slices = new Map<string, StoredSlice>();
  readonly #routes = new Map<string, EventRoute>();
  readonly #layout = new Map<string, number>();
  #initialState: SessionState = { layout: this.#layout, slices: [], logs: [] };
  /** While reducers or a migration run, the session itself may not be used. */
  isReducing = false;
  /** Once the session is disposed, its state can be read but not changed. */
  isDisposed = false;

  /** Takes over everything that another registry knows. This one must be empty. */
  adopt(original: Registry): void {
    for (const [name, slice] of original.#slices) this.#slices.set(name, slice);
    for (const [name, place] of original.#layout) this.#layout.set(name, place);
    for (const [name, route] of original.#routes) this.#routes.set(name, route);
    this.#initialState = { ...original.#initialState, layout: this.#layout };
  }

  /** The state of a new or reset session. */
  get initialState(): SessionState {
    return this.#initialState;
  }

  /** Holds a LOG slice to its last `retain` items wherever it begins anew. */
  bound(slice: StoredSlice, retain: number): void {
    const { initial } = internalsOf(slice);
    if (initial instanceof SequenceState)
      this.#initialState = withSliceState(this.#initialState, slice, initial.retaining(retain));
  }

  slices(): ReadonlyMap<string, StoredSlice> {
    return this.#slices;
  }

  /** The slices that a snapshot puts back. */
  restorableSlices(): readonly StoredSlice[] {
    return [...this.#slices.values()].filter((slice) => slice.policy === 'state' && !slice.systemState);
  }

  routes(): ReadonlyMap<string, EventRoute> {
    return this.#routes;
  }

  /** Adds a slice and its events. Installing the same slice again does nothing; a refused slice changes nothing. */
  install(given: AnySlice): void {
    const slice = given.kind === 'derived-slice' ? given.source : given;
    const known = this.#slices.get(slice.name);
    if (known === slice) return;
    if (known !== undefined) {
      throw new SessionError(
        'slice-duplicate',
        `Another slice named ${slice.name} is installed. Give one of the two another name.`,
        {
          details: { slice: slice.name },
        },
      );
    }
    const changed = new Map<string, EventRoute>();
    for (const binding of internalsOf(slice).reducers) {
      const name = binding.event.name;
      changed.set(name, extendRoute(changed.get(name) ?? this.#routes.get(name), binding, slice));
    }
    this.#slices.set(slice.name, slice);
    this.#layout.set(slice.name, this.#layout.size);
    for (const [name, route] of changed) this.#routes.set(name, route);
  }

  /** @throws {SessionError} code `slice-unknown`. */
  assertInstalled(given: AnySlice): void {
    const slice = given.kind === 'derived-slice' ? given.source : given;
    if (this.#slices.get(slice.name) !== slice) {
      throw sliceError(
        'slice-unknown',
        slice.name,
        'is not installed in this session. Install it before using it.',
      );
    }
  }

  /** Undefined for a slice that is not installed. */
  find(name: string): StoredSlice | undefined {
    return this.#slices.get(name);
  }

  /** @throws {SessionError} code `slice-unknown`. */
  sliceNamed(name: string): StoredSlice {
    const slice = this.find(name);
    if (slice === undefined) {
      throw new SessionError(
        'slice-unknown',
        `A patch names slice ${name}, which is not installed in this session.`,
        {
          details: { slice: name },
        },
      );
    }
    return slice;
  }

  /** Where an event goes, or undefined when no slice listens. */
  routeOf(event: AnyEvent): EventRoute | undefined {
    const route = this.#routes.get(event.name);
    if (route !== undefined && route.event !== event) throw duplicateEvent(event.name);
    return route;
  }
}

function extendRoute(
  route: EventRoute | undefined,
  binding: AnyReducerBinding,
  slice: StoredSlice,
): EventRoute {
  const { event, reduce } = binding;
  if (route === undefined) return { event, policy: slice.policy, targets: [{ slice, reducers: [reduce] }] };
  if (route.event !== event) throw duplicateEvent(event.name);
  if (route.policy !== slice.policy) {
    throw new SessionError(
      'event-policy-mixed',
      `Event ${event.name} would feed ${slice.name} (${slice.policy}) besides a ${route.policy} slice. Use one event for STATE and another for LOG.`,
      { details: { event: event.name, slice: slice.name } },
    );
  }
  const last = route.targets.at(-1);
  if (last?.slice !== slice) return { ...route, targets: [...route.targets, { slice, reducers: [reduce] }] };
  return {
    ...route,
    targets: [...route.targets.slice(0, -1), { slice, reducers: [...last.reducers, reduce] }],
  };
}

function duplicateEvent(name: string): SessionError {
  return new SessionError(
    'event-duplicate',
    `Two different events are named ${name}. Give one of the two another name.`,
    {
      details: { event: name },
    },
  );
}

/** What a session, its clones and its forks share, so that a snapshot of one fits the others. @internal */
export type Lineage = object;

/** Who uses a cell: the handler of a tool call, whose part may end first, or anybody else. */
export type Part = 'handler' | 'privileged';

/** The present state of a session or fork, the recorder of its reads, and the target of its changes. */
export interface StateCell {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly lineage: Lineage;
  /** Undefined on a root session, where reading needs no record. */
  readonly recorder: ReadRecorder | undefined;
  /** True in a fork: a restore leaves the runtime's own state alone. */
  readonly isFork: boolean;
  readonly current: SessionState;
  /** Throws when the cell may not be used: the transaction is closed, the session is disposed, or a reducer is running. */
  assertUsable(use: 'read' | 'write', part: Part): void;
  /** Takes a change in: the new state, and how it came about. Cannot fail. */
  commit(
    next: SessionState,
    operation: SessionOperation | undefined,
    log: readonly LogAppend[],
    event: DispatchedEvent | undefined,
  ): void;
}

/** A right to use a cell: it can end, and it can be limited to reading. */
export interface Access {
  readonly cell: StateCell;
  readonly part: Part;
  /** STATE may not be written; LOG may. */
  readonly isReadOnly: boolean;
}

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
