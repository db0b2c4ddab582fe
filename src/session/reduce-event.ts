import { describeError, SessionError, TransactionClosedError } from '../error/index.ts';
import { applyOperation } from './apply-operation.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { LogAppend } from './patch.ts';
import type { Look, Recorder } from './read-set.ts';
import type { Items } from './reducer.ts';
import type { EventRoute, Registry, RouteTarget } from './registry.ts';
import { type SessionState, sliceStateIn, withSliceState } from './session-state.ts';
import type { Slice, StoredSlice } from './slice.ts';
import { notKeyed, type ReadSource, readerOf, wholeLook } from './slice-reader.ts';
import { KeyedState, type SliceState } from './slice-state.ts';
import type { ReadonlySessionView, ReadonlySliceAccessor } from './view.ts';

/** What an event does to a session. */
export interface Reduction {
  readonly next: SessionState;
  /** Items that went into LOG slices. */
  readonly log: readonly LogAppend[];
}

/** While it is open, reducers may use what they were given. */
interface ReducerScope {
  isOpen: boolean;
}

/**
 * Runs all reducers of an event on `state`: all of their operations, or none when one throws.
 * @param recorder hears what the reducers looked at; undefined on a root session.
 * @throws {SessionError} code `reducer-failed`, the reducer's error as cause.
 */
export function reduceEvent(
  registry: Registry,
  sessionId: string,
  state: SessionState,
  route: EventRoute,
  payload: unknown,
  recorder: Recorder | undefined,
): Reduction {
  const scope: ReducerScope = { isOpen: true };
  const ownLooks: Look[] = [];
  const view = new ReducerView(registry, sessionId, state, scope, recorder);
  let next = state;
  const log: LogAppend[] = [];
  let current: StoredSlice | undefined;
  const run = (target: RouteTarget): void => {
    const { slice } = target;
    current = slice;
    // What a LOG reducer sees ends up in items that are never computed again, so it counts at once.
    const onLook = (look: Look): void => {
      if (look.kind === 'log') recorder?.read(look);
      else ownLooks.push(look);
    };
    for (const reduce of target.reducers) {
      const before = sliceStateIn(next, slice);
      const items = new ReducerItems(slice, before, scope, onLook);
      const applied = applyOperation(slice, before, reduce(items, payload, view));
      next = withSliceState(next, slice, applied.next);
      if (slice.policy === 'log' && applied.added.length > 0)
        log.push({ slice: slice.name, items: applied.added });
    }
  };
  try {
    registry.reducing(() => route.targets.forEach(run));
  } catch (error) {
    for (const look of ownLooks) recorder?.read({ kind: 'refusal', look, event: route.event.name });
    throw new SessionError(
      'reducer-failed',
      `A reducer of ${route.event.name} on slice ${current?.name} refused the event, so nothing was changed: ${describeError(error)}`,
      { cause: error, details: { event: route.event.name, slice: current?.name } },
    );
  } finally {
    scope.isOpen = false;
  }
  for (const look of ownLooks) recorder?.accepted(look, route.event.name);
  return { next, log };
}

function assertScope(scope: ReducerScope): void {
  if (!scope.isOpen) {
    throw new TransactionClosedError('What a reducer is given can be used only while it runs.');
  }
}

/** The session as reducers see it: as it was before the event. */
class ReducerView implements ReadonlySessionView {
  readonly id: string;
  readonly #source: ReadSource;

  constructor(
    registry: Registry,
    id: string,
    state: SessionState,
    scope: ReducerScope,
    recorder: Recorder | undefined,
  ) {
    this.id = id;
    this.#source = {
      registry,
      state: () => {
        assertScope(scope);
        return state;
      },
      look: (look) => recorder?.read({ kind: 'reducer-view', look }),
    };
  }

  slice<T>(slice: Slice<T> | DerivedSlice<T>): ReadonlySliceAccessor<T> {
    // The items of a slice of T are of type T.
    return readerOf(this.#source, slice) as ReadonlySliceAccessor<T>;
  }
}

/** The items of a slice as its own reducer sees them. */
class ReducerItems implements Items<unknown> {
  readonly #slice: StoredSlice;
  readonly #state: SliceState;
  readonly #scope: ReducerScope;
  readonly #onLook: (look: Look) => void;

  constructor(slice: StoredSlice, state: SliceState, scope: ReducerScope, onLook: (look: Look) => void) {
    this.#slice = slice;
    this.#state = state;
    this.#scope = scope;
    this.#onLook = onLook;
  }

  get length(): number {
    return this.#whole().length;
  }

  at(index: number): unknown {
    return this.#whole().at(index);
  }

  latest(): unknown {
    return this.#whole().at(-1);
  }

  get(key: string): unknown {
    assertScope(this.#scope);
    if (!(this.#state instanceof KeyedState)) throw notKeyed(this.#slice);
    this.#onLook({ kind: 'key', slice: this.#slice, key });
    return this.#state.get(key);
  }

  keyOf(item: unknown): string | undefined {
    assertScope(this.#scope);
    return this.#state instanceof KeyedState ? this.#state.keyOf(item) : undefined;
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.#whole().items();
  }

  #whole(): SliceState {
    assertScope(this.#scope);
    this.#onLook(wholeLook(this.#slice));
    return this.#state;
  }
}
