import { SessionError } from '../../error/index.ts';
import { freezeJson } from '../../schema/index.ts';
import type { DispatchedEvent } from '../event/event.ts';
import { applyOperation } from '../slice/slice.ts';
import {
  type EventRoute,
  type SessionState,
  type StateCell,
  sliceStateIn,
  withSliceState,
} from '../state/cell.ts';
import type { LogAppend, SessionOperation, SessionPatch } from '../state/patch.ts';
import type { Read, ReadRecorder, ReadTarget } from '../state/read.ts';
import { restoredState } from './snapshot.ts';
import { reduceEvent } from './view.ts';

/** What the fork that made a patch knows about it. */
export interface PatchOrigin {
  /** The state of `cell` after the patch, where no reducer has to run to know it; else undefined. */
  outcomeOn(
    cell: StateCell,
    patch: SessionPatch,
    recorder: ReadRecorder | undefined,
  ): SessionState | undefined;
  /** The outer fork has applied the patch. */
  recordApplied(patch: SessionPatch): void;
}

/** The patch of a fork. It carries its origin privately; a copy, or a patch from elsewhere, has none. */
export class ForkPatch implements SessionPatch {
  readonly operations: readonly SessionOperation[];
  readonly log: readonly LogAppend[];
  readonly events: readonly DispatchedEvent[];
  readonly #origin: PatchOrigin;

  constructor({ operations, log, events }: SessionPatch, origin: PatchOrigin) {
    this.operations = Object.freeze(operations);
    this.log = Object.freeze(log);
    this.events = Object.freeze(events);
    this.#origin = origin;
    Object.freeze(this);
  }

  static originOf(patch: SessionPatch): PatchOrigin | undefined {
    return #origin in patch ? patch.#origin : undefined;
  }
}

/**
 * The state of a cell after a patch; the cell itself does not change. No reducer runs where the fork that the patch comes from
 * knows the outcome. Throws SessionError `reducer-failed` when an operation refuses.
 */
export function stateAfter(
  cell: StateCell,
  patch: SessionPatch,
  recorder: ReadRecorder | undefined,
): SessionState {
  const known = ForkPatch.originOf(patch)?.outcomeOn(cell, patch, recorder);
  return known ?? reapply(cell, cell.current, patch, recorder);
}

/**
 * Does everything in a patch again, in order, on a state of the cell. Throws SessionError `reducer-failed` when an
 * operation refuses.
 */
export function reapply(
  cell: StateCell,
  start: SessionState,
  patch: SessionPatch,
  recorder: ReadRecorder | undefined,
): SessionState {
  let state = start;
  let logged = 0;
  for (const operation of patch.operations) {
    const before = operation.logged ?? 0;
    if (before > logged) state = withLog(cell, state, patch.log.slice(logged, before));
    logged = Math.max(logged, before);
    state = reapplyOperation(cell, state, operation, recorder);
  }
  return patch.log.length === logged ? state : withLog(cell, state, patch.log.slice(logged));
}

function reapplyOperation(
  cell: StateCell,
  state: SessionState,
  operation: SessionOperation,
  recorder: ReadRecorder | undefined,
): SessionState {
  switch (operation.op) {
    case 'event': {
      const { event, slices } = operation;
      const known = cell.registry.routes().get(event);
      const route = known === undefined || slices === undefined ? known : routeTo(known, slices);
      if (route === undefined) {
        // What is asked for by name need not be there.
        if (slices !== undefined) return state;
        throw new SessionError(
          'slice-unknown',
          `A patch applies event ${event}, but no installed slice listens to it.`,
          { details: { event } },
        );
      }
      const payload = freezeJson(operation.payload, `payload of event ${event}`);
      return reduceEvent(cell.registry, cell.sessionId, state, route, payload, recorder).next;
    }
    case 'write': {
      const slice = cell.registry.sliceNamed(operation.slice);
      return withSliceState(
        state,
        slice,
        applyOperation(slice, sliceStateIn(state, slice), operation.operation).next,
      );
    }
    case 'clear': {
      const slice = cell.registry.sliceNamed(operation.slice);
      return withSliceState(state, slice, sliceStateIn(state, slice).cleared());
    }
    case 'restore':
      // Only forks record restores.
      return restoredState(cell, state, operation.snapshot, true);
  }
}

/** The part of a route that leads to these slices. */
function routeTo(route: EventRoute, slices: ReadonlySet<string>): EventRoute {
  return { ...route, targets: route.targets.filter(({ slice }) => slices.has(slice.name)) };
}

/** Puts log items at the end of their slices. */
export function withLog(cell: StateCell, start: SessionState, log: readonly LogAppend[]): SessionState {
  let state = start;
  for (const { slice: name, items } of log) {
    const slice = cell.registry.sliceNamed(name);
    state = withSliceState(
      state,
      slice,
      applyOperation(slice, sliceStateIn(state, slice), { op: 'extend', items }).next,
    );
  }
  return state;
}

/** The reads of reducers while a patch is applied again, passed on to a recorder when the state is used. */
export class CollectedReads implements ReadRecorder {
  readonly #reads: ((recorder: ReadRecorder) => void)[] = [];

  read(read: Read): void {
    this.#reads.push((recorder) => recorder.read(read));
  }

  accepted(target: ReadTarget, event: string): void {
    this.#reads.push((recorder) => recorder.accepted(target, event));
  }

  passTo(recorder: ReadRecorder | undefined): void {
    if (recorder === undefined) return;
    for (const pass of this.#reads) pass(recorder);
  }
}
