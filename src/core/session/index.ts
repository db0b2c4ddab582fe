export { type Clock, EventLoopYield, systemClock } from './clock.ts';
export {
  type AnyEvent,
  createDispatcher,
  type DispatchedEvent,
  type Dispatcher,
  defineEvent,
  defineSystemEvent,
  type EventDefinition,
  type EventDelivery,
  type EventMeta,
  type EventOptions,
  type SubscriberFailure,
} from './event/event.ts';
export type {
  SessionExport,
  SessionExportOptions,
  SessionImportOptions,
  SessionImportReport,
  SliceExport,
} from './export/session-export.ts';
export type { ForkOptions, ObservedSessionFork, SessionFork } from './fork/fork.ts';
export type { SessionView } from './fork/view.ts';
export { type ReadOnlyView, readOnlyView } from './read-only-view.ts';
export { type CloneOptions, Session, type SessionOptions } from './session.ts';
export { countedIds, type IdSource, randomIds, type SessionLogger } from './session-options.ts';
export {
  defineSlice,
  defineSystemSlice,
  type SliceOptions,
  type SystemSliceOptions,
} from './slice/define-slice.ts';
export {
  type Reducer,
  type ReducerBinder,
  type ReducerBinding,
  reducers,
  type SliceItems,
} from './slice/reducer.ts';
export type { Slice, SliceOperation, SlicePolicy, SliceStep, StoredSlice } from './slice/slice.ts';
export { digestOf, hasDigest } from './slice/slice-digest.ts';
export {
  type AnySlice,
  type DerivedSlice,
  type DerivedSliceOptions,
  defineDerivedSlice,
  installedItems,
  installedSlice,
  type ReadonlySessionView,
  type ReadonlySliceAccessor,
  type SliceAccessor,
} from './slice/view.ts';
export type { SliceInstallOptions } from './state/cell.ts';
export {
  isEmptyPatch,
  type LogAppend,
  type SessionOperation,
  type SessionPatch,
  type SessionSnapshot,
} from './state/patch.ts';
export { isSessionRead, type SessionRead } from './state/read.ts';
export type { ObservedSlice, SliceWrite, StateDifference, StateMark } from './state/state-difference.ts';
