export { type Clock, systemClock } from './clock.ts';
export {
  defineSlice,
  defineSystemSlice,
  type SliceOptions,
  type SystemSliceOptions,
} from './define-slice.ts';
export { type AnySlice, type DerivedSlice, deriveSlice } from './derived-slice.ts';
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type EventMeta,
  type SubscriberFailure,
} from './dispatcher.ts';
export { type AnyEvent, defineEvent, defineSystemEvent, type EventDefinition } from './event.ts';
export { EventLoopYield } from './event-loop-yield.ts';
export { type ForkOptions, type SessionFork } from './fork.ts';
export { type IdSource, randomIds } from './ids.ts';
export type { ImportOptions, ImportReport } from './import-slices.ts';
export {
  type AppendOptions,
  append,
  clear,
  extend,
  remove,
  replace,
  type SliceOperation,
} from './operation.ts';
export {
  type DispatchedEvent,
  isEmptyPatch,
  type LogAppend,
  type SessionOperation,
  type SessionPatch,
} from './patch.ts';
export { type ReadOnlyView, readOnlyView } from './read-only-view.ts';
export { type Items, on, type Reducer, type ReducerBinding } from './reducer.ts';
export {
  appendAll,
  type ItemKey,
  keepLatest,
  keepLatestBy,
  type ToItem,
  upsertBy,
} from './reducer-helpers.ts';
export type { InstallOptions } from './root-cell.ts';
export { type CloneOptions, Session, type SessionLogger, type SessionOptions } from './session.ts';
export type { ExportOptions, SessionExport, SliceExport } from './session-export.ts';
export type { Slice, SlicePolicy, StoredSlice } from './slice.ts';
export type { SessionSnapshot } from './snapshot.ts';
export type { ReadonlySessionView, ReadonlySliceAccessor, SessionView, SliceAccessor } from './view.ts';
