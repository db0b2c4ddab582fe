import type { Dispatcher } from '../event/dispatcher.ts';
import type { EventDefinition } from '../event/event.ts';
import type { DerivedSlice } from '../slice/derived-slice.ts';
import type { Slice } from '../slice/slice.ts';
import type { ReadonlySessionView, ReadonlySliceAccessor, SliceAccessor } from '../slice/view.ts';
import type { SessionSnapshot } from '../state/snapshot.ts';

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
