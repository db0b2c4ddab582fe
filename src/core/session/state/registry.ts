import { SessionError } from '../../error/index.ts';
import type { AnyEvent } from '../event/event.ts';
import type { AnySlice } from '../slice/derived-slice.ts';
import type { ErasedReducer } from '../slice/reducer.ts';
import type { SlicePolicy, StoredSlice } from '../slice/slice.ts';
import { type AnyReducerBinding, internalsOf } from '../slice/slice-internals.ts';
import { SequenceState } from '../slice/slice-state.ts';
import { type SessionState, withSliceState } from './session-state.ts';

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
      throw new SessionError(
        'slice-unknown',
        `Slice ${slice.name} is not installed in this session. Install it before using it.`,
        {
          details: { slice: slice.name },
        },
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
