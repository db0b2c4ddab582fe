import { describeError, SessionError, TransactionClosedError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { DeepReadonly } from '../../schema/index.ts';
import {
  type DispatchedEvent,
  type Dispatcher,
  type EventDefinition,
  type EventMeta,
  parsePayload,
  type SubscriberFailure,
} from '../event/event.ts';
import type { SliceItems } from '../slice/reducer.ts';
import {
  type AppendOptions,
  applyOperation,
  KeyedState,
  notKeyed,
  type Slice,
  type SliceOperation,
  type SliceState,
  type StoredSlice,
} from '../slice/slice.ts';
import type {
  DerivedSlice,
  ReadonlySessionView,
  ReadonlySliceAccessor,
  SliceAccessor,
} from '../slice/view.ts';
import {
  type Access,
  type EventRoute,
  type Registry,
  type SessionState,
  sliceStateIn,
  withSliceState,
} from '../state/cell.ts';
import type { LogAppend, SessionOperation, SessionSnapshot } from '../state/patch.ts';
import { type ReadRecorder, type ReadTarget, wholeSliceTarget } from '../state/read.ts';
import { CellAccessor, type ReadSource, readOnlyRefusal, SliceReader } from './accessor.ts';
import { restoredState, StateSnapshot } from './snapshot.ts';

/** The view of a session for handlers, policies and callers. Writes inside a tool call are invisible outside until the commit. */
export interface SessionView extends ReadonlySessionView {
  /** @throws {SessionError} code `slice-unknown` when the slice is not installed. */
  slice<T>(slice: Slice<T>): SliceAccessor<T>;
  slice<T>(slice: DerivedSlice<T>): ReadonlySliceAccessor<T>;
  /**
   * Validates and freezes `payload`, runs every reducer of the event, applies all their operations or none, then notifies
   * the subscribers (inside a tool call: when the call has ended). An event that no slice listens to reaches subscribers only.
   * @throws {SchemaError} code `value-invalid` or `value-not-json`; {@link SessionError} code `reducer-failed` when a
   * reducer threw (nothing is applied), `session-read-only` in a read-only call when the event feeds STATE slices.
   */
  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void;
  /** The present STATE slices, for {@link restore}. O(1). LOG slices are not part of it. */
  snapshot(): SessionSnapshot;
  /**
   * Puts every STATE slice back to what it was at the snapshot; slices installed since go back to their initial items.
   * LOG slices stay, and inside a tool call also the state that policies keep.
   * @throws {SnapshotError} code `snapshot-foreign` for a snapshot of another session.
   */
  restore(snapshot: SessionSnapshot): void;
  /** Where events are published. Inside a tool call it buffers until the call has ended. */
  readonly dispatcher: Dispatcher;
}

/** A session view over a cell: what a root session forwards to, and what forks hand out. */
export class CellView implements SessionView {
  readonly id: string;
  readonly #access: Access;
  readonly #root: Dispatcher;
  #dispatcher: Dispatcher | undefined;

  /** @param root the dispatcher of the root session; in a fork its events wait for the commit. */
  constructor(access: Access, root: Dispatcher) {
    this.id = access.cell.sessionId;
    this.#access = access;
    this.#root = root;
  }

  get dispatcher(): Dispatcher {
    this.#dispatcher ??= this.#access.cell.isFork
      ? new BufferedDispatcher(this.#access, this.#root)
      : this.#root;
    return this.#dispatcher;
  }

  slice<T>(slice: Slice<T> | DerivedSlice<T>): SliceAccessor<T> {
    const { cell, part } = this.#access;
    cell.assertUsable('read', part);
    cell.registry.assertInstalled(slice);
    const accessor: SliceAccessor<unknown> = new CellAccessor(this.#access, slice);
    // The items of a slice of T are of type T.
    return accessor as SliceAccessor<T>;
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    const { cell, part, isReadOnly } = this.#access;
    cell.assertUsable('write', part);
    const route = cell.registry.routeOf(event);
    const policy = route === undefined ? 'none' : route.policy;
    if (isReadOnly && policy === 'state') throw readOnlyRefusal(`The state that event ${event.name} feeds`);
    const parsed = parsePayload(event, payload);
    const dispatched: DispatchedEvent = { name: event.name, payload: parsed, policy };
    if (route === undefined) {
      cell.commit(cell.current, undefined, none, dispatched);
      return;
    }
    const { next, log } = reduceEvent(
      cell.registry,
      cell.sessionId,
      cell.current,
      route,
      parsed,
      cell.recorder,
    );
    const operation: SessionOperation | undefined =
      policy === 'state' ? { op: 'event', event: event.name, payload: parsed } : undefined;
    cell.commit(next, operation, log, dispatched);
  }

  snapshot(): SessionSnapshot {
    const { cell, part } = this.#access;
    cell.assertUsable('read', part);
    return new StateSnapshot(cell.sessionId, cell.lineage, cell.current);
  }

  restore(snapshot: SessionSnapshot): void {
    const { cell, part, isReadOnly } = this.#access;
    cell.assertUsable('write', part);
    if (isReadOnly) throw readOnlyRefusal('The state of the session');
    const next = restoredState(cell, cell.current, snapshot, cell.isFork);
    cell.recorder?.read({ kind: 'restore', slices: cell.registry.restorableSlices() });
    cell.commit(next, { op: 'restore', snapshot }, none, undefined);
  }
}

/** The dispatcher inside a fork: events wait in the fork until it is applied, subscriptions go to the root's dispatcher. */
class BufferedDispatcher implements Dispatcher {
  readonly #access: Access;
  readonly #root: Dispatcher;

  constructor(access: Access, root: Dispatcher) {
    this.#access = access;
    this.#root = root;
  }

  subscribe<Input, Output>(
    event: EventDefinition<Input, Output>,
    subscriber: (payload: DeepReadonly<Output>, meta: EventMeta) => void,
  ): () => void {
    this.#assertUsable();
    return this.#root.subscribe(event, subscriber);
  }

  subscribeAll(subscriber: (payload: unknown, meta: EventMeta) => void): () => void {
    this.#assertUsable();
    return this.#root.subscribeAll(subscriber);
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    this.#assertUsable();
    this.#buffer({ name: event.name, payload: parsePayload(event, payload), policy: 'none' });
  }

  onFailure(listener: (failure: SubscriberFailure) => void): () => void {
    this.#assertUsable();
    return this.#root.onFailure(listener);
  }

  screenFailures(sessionId: string, screen: (error: unknown) => unknown): () => void {
    this.#assertUsable();
    return this.#root.screenFailures(sessionId, screen);
  }

  deliver(event: DispatchedEvent, _sessionId: string): void {
    this.#assertUsable();
    this.#buffer(event);
  }

  #assertUsable(): void {
    this.#access.cell.assertUsable('write', this.#access.part);
  }

  #buffer(event: DispatchedEvent): void {
    const { cell } = this.#access;
    cell.commit(cell.current, undefined, none, event);
  }
}

/** What an event does to a session. */
export interface Reduction {
  readonly next: SessionState;
  /** Items that went into LOG slices. */
  readonly log: readonly LogAppend[];
}

/** One event in its reducers: their arguments are usable while it runs, and what they read among their own items is kept. */
interface Run {
  readonly recorder: ReadRecorder | undefined;
  isOpen: boolean;
  targets: ReadTarget[] | undefined;
}

/**
 * Runs all reducers of an event on `state`: all of their operations, or none when one throws.
 * @param recorder records what the reducers read; undefined on a root session.
 * @throws {SessionError} code `reducer-failed`, the reducer's error as cause.
 */
export function reduceEvent(
  registry: Registry,
  sessionId: string,
  state: SessionState,
  route: EventRoute,
  payload: unknown,
  recorder: ReadRecorder | undefined,
): Reduction {
  const run: Run = { recorder, isOpen: true, targets: undefined };
  // The session as reducers see it: as it was before the event.
  const view: ReadonlySessionView = {
    id: sessionId,
    slice: (slice) => readerFor(run, registry, state, slice),
  };
  let next = state;
  let log: LogAppend[] | undefined;
  let current: StoredSlice | undefined;
  registry.isReducing = true;
  try {
    for (const { slice, reducers } of route.targets) {
      current = slice;
      for (const reduce of reducers) {
        const before = sliceStateIn(next, slice);
        const { next: after, added } = applyOperation(
          slice,
          before,
          reduce(new ReducerItems(slice, before, run), payload, view),
        );
        if (after !== before) next = withSliceState(next, slice, after);
        if (slice.policy === 'log' && added.length > 0)
          (log ??= []).push({ slice: slice.name, items: added });
      }
    }
  } catch (error) {
    for (const target of run.targets ?? none)
      recorder?.read({ kind: 'refusal', target, event: route.event.name });
    throw new SessionError(
      'reducer-failed',
      `A reducer of ${route.event.name} on slice ${current?.name} refused the event, so nothing was changed: ${describeError(error)}`,
      { cause: error, details: { event: route.event.name, slice: current?.name } },
    );
  } finally {
    registry.isReducing = false;
    run.isOpen = false;
  }
  if (run.targets !== undefined) {
    for (const target of run.targets) recorder?.accepted(target, route.event.name);
  }
  return { next, log: log ?? none };
}

function assertOpen(run: Run): void {
  if (!run.isOpen) {
    throw new TransactionClosedError('The arguments of a reducer can be used only while it runs.');
  }
}

function readerFor<T>(
  run: Run,
  registry: Registry,
  state: SessionState,
  slice: Slice<T> | DerivedSlice<T>,
): ReadonlySliceAccessor<T> {
  registry.assertInstalled(slice);
  const source: ReadSource = {
    state: () => {
      assertOpen(run);
      return state;
    },
    onRead: (target) => run.recorder?.read({ kind: 'reducer-view', target }),
  };
  // The items of a slice of T are of type T.
  return new SliceReader(source, slice) as ReadonlySliceAccessor<unknown> as ReadonlySliceAccessor<T>;
}

const unchanged: SliceOperation<unknown> = /* @__PURE__ */ Object.freeze({ op: 'keep' });

/** The items of a slice as its own reducer sees them, and what it can return. */
class ReducerItems implements SliceItems<unknown> {
  readonly #slice: StoredSlice;
  readonly #state: SliceState;
  readonly #run: Run;

  constructor(slice: StoredSlice, state: SliceState, run: Run) {
    this.#slice = slice;
    this.#state = state;
    this.#run = run;
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
    assertOpen(this.#run);
    if (!(this.#state instanceof KeyedState)) throw notKeyed(this.#slice);
    this.#recordRead({ kind: 'key', slice: this.#slice, key });
    return this.#state.get(key);
  }

  keyOf(item: unknown): string | undefined {
    assertOpen(this.#run);
    return this.#state instanceof KeyedState ? this.#state.keyOf(item) : undefined;
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.#whole().items();
  }

  append(item: unknown, options?: AppendOptions): SliceOperation<unknown> {
    return options?.moveToEnd === true ? { op: 'append', item, moveToEnd: true } : { op: 'append', item };
  }

  extend(items: readonly unknown[]): SliceOperation<unknown> {
    return { op: 'extend', items };
  }

  replace(items: readonly unknown[]): SliceOperation<unknown> {
    return { op: 'replace', items };
  }

  remove(...keys: readonly string[]): SliceOperation<unknown> {
    return { op: 'remove', keys };
  }

  clear(): SliceOperation<unknown> {
    return { op: 'clear' };
  }

  keep(): SliceOperation<unknown> {
    return unchanged;
  }

  #whole(): SliceState {
    assertOpen(this.#run);
    this.#recordRead(wholeSliceTarget(this.#slice));
    return this.#state;
  }

  #recordRead(target: ReadTarget): void {
    // A root session records no reads.
    if (this.#run.recorder === undefined) return;
    // What a LOG reducer reads ends up in items that are never computed again, so it counts at once.
    if (target.kind === 'log') this.#run.recorder.read(target);
    else (this.#run.targets ??= []).push(target);
  }
}
