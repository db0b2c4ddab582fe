import { none } from '../../internal/index.ts';
import type { Dispatcher } from '../event/dispatcher.ts';
import { type DispatchedEvent, type EventDefinition, parsePayload } from '../event/event.ts';
import type { DerivedSlice } from '../slice/derived-slice.ts';
import type { Slice } from '../slice/slice.ts';
import type { SliceAccessor } from '../slice/view.ts';
import type { SessionOperation } from '../state/patch.ts';
import { type SessionSnapshot, StateSnapshot } from '../state/snapshot.ts';
import { BufferedDispatcher } from './buffered-dispatcher.ts';
import { CellAccessor, readOnlyRefusal } from './cell-accessor.ts';
import { reduceEvent } from './reduce-event.ts';
import { restoredState } from './restored-state.ts';
import type { SessionView } from './session-view.ts';
import type { Access } from './state-cell.ts';

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
