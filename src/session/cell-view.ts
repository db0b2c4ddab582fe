import { BufferedDispatcher } from './buffered-dispatcher.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { EventDefinition } from './event.ts';
import { parsePayload } from './event-payload.ts';
import type { DispatchedEvent, SessionOperation } from './patch.ts';
import { ReadingWritingAccessor } from './reading-writing-accessor.ts';
import { reduceEvent } from './reduce-event.ts';
import { restorableSlices, restoredState } from './restored-state.ts';
import type { Slice } from './slice.ts';
import { type ReadSource, readerOf } from './slice-reader.ts';
import { readOnlyRefusal, refuseWriting, SliceWriter } from './slice-writer.ts';
import { makeSnapshot, type SessionSnapshot } from './snapshot.ts';
import type { Access } from './state-cell.ts';
import type { SessionView, SliceAccessor } from './view.ts';

/** A session view over a cell: what a root session forwards to, and what forks hand out. */
export class CellView implements SessionView {
  readonly id: string;
  readonly dispatcher: Dispatcher;
  readonly #access: Access;
  readonly #source: ReadSource;

  /** @param dispatcher the dispatcher of the root session; in a fork its events wait for the commit. */
  constructor(access: Access, dispatcher: Dispatcher) {
    const { cell } = access;
    this.id = cell.sessionId;
    this.dispatcher = cell.isFork ? new BufferedDispatcher(access, dispatcher) : dispatcher;
    this.#access = access;
    this.#source = {
      registry: cell.registry,
      state: () => {
        access.assertUsable('read');
        return cell.current;
      },
      look: (look) => cell.recorder?.read(look),
    };
  }

  slice<T>(slice: Slice<T> | DerivedSlice<T>): SliceAccessor<T> {
    this.#access.assertUsable('read');
    const reader = readerOf(this.#source, slice);
    const writer =
      slice.kind === 'derived-slice' ? refuseWriting(slice) : new SliceWriter(this.#access, slice, reader);
    const accessor: SliceAccessor<unknown> = new ReadingWritingAccessor(reader, writer);
    // The items of a slice of T are of type T.
    return accessor as SliceAccessor<T>;
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    this.#access.assertUsable('write');
    const { cell, isReadOnly } = this.#access;
    const route = cell.registry.routeOf(event);
    const policy = route?.policy ?? 'none';
    if (isReadOnly && policy === 'state') throw readOnlyRefusal(`The state that event ${event.name} feeds`);
    const parsed = parsePayload(event, payload);
    const events: readonly DispatchedEvent[] = [{ name: event.name, payload: parsed, policy }];
    if (route === undefined) {
      cell.commit({ next: cell.current, events });
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
    const operations: readonly SessionOperation[] =
      policy === 'state' ? [{ op: 'event', event: event.name, payload: parsed }] : [];
    cell.commit({ next, operations, log, events });
  }

  snapshot(): SessionSnapshot {
    this.#access.assertUsable('read');
    const { cell } = this.#access;
    return makeSnapshot(cell.sessionId, cell.lineage, cell.current);
  }

  restore(snapshot: SessionSnapshot): void {
    this.#access.assertUsable('write');
    const { cell, isReadOnly } = this.#access;
    if (isReadOnly) throw readOnlyRefusal('The state of the session');
    const next = restoredState(cell, cell.current, snapshot, cell.isFork);
    cell.recorder?.read({ kind: 'restore', slices: restorableSlices(cell) });
    cell.commit({ next, operations: [{ op: 'restore', snapshot }] });
  }
}
