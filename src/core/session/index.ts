export { type Clock, systemClock } from './clock.ts';
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type EventDelivery,
  type EventMeta,
  type SubscriberFailure,
} from './event/dispatcher.ts';
export {
  type AnyEvent,
  type DispatchedEvent,
  defineEvent,
  defineSystemEvent,
  type EventDefinition,
  type EventOptions,
} from './event/event.ts';
export { EventLoopYield } from './event-loop-yield.ts';
export type { SessionImportOptions, SessionImportReport } from './export/import-slices.ts';
export type { SessionExport, SessionExportOptions, SliceExport } from './export/session-export.ts';
export type { ObservedSessionFork } from './fork/fork.ts';
export { type ForkOptions, type SessionFork } from './fork/fork.ts';
export type { SliceInstallOptions } from './fork/root-cell.ts';
export { isSessionRead, type SessionRead } from './fork/session-read.ts';
export type { SessionView } from './fork/session-view.ts';
export { type IdSource, randomIds } from './ids.ts';
export { installedItems } from './installed-items.ts';
export { type ReadOnlyView, readOnlyView } from './read-only-view.ts';
export { type CloneOptions, Session, type SessionOptions } from './session.ts';
export type { SessionLogger } from './session-options.ts';
export {
  defineSlice,
  defineSystemSlice,
  type SliceOptions,
  type SystemSliceOptions,
} from './slice/define-slice.ts';
export {
  type AnySlice,
  type DerivedSlice,
  type DerivedSliceOptions,
  defineDerivedSlice,
} from './slice/derived-slice.ts';
export type { SliceOperation } from './slice/operation.ts';
export type { Reducer, ReducerBinder, ReducerBinding, SliceItems } from './slice/reducer.ts';
export { reducers } from './slice/reducer-helpers.ts';
export type { Slice, SlicePolicy, StoredSlice } from './slice/slice.ts';
export type { SliceStep } from './slice/slice-step.ts';
export type { ReadonlySessionView, ReadonlySliceAccessor, SliceAccessor } from './slice/view.ts';
export type { ObservedSlice } from './state/observed-slice.ts';
export { isEmptyPatch, type LogAppend, type SessionOperation, type SessionPatch } from './state/patch.ts';
export type { SliceWrite } from './state/slice-write.ts';
export type { SessionSnapshot } from './state/snapshot.ts';
export type { StateDifference } from './state/state-difference.ts';
export type { StateMark } from './state/state-mark.ts';
