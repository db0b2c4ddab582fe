import type { DispatchedEvent } from '../event/event.ts';
import type { LogAppend, SessionOperation, SessionPatch } from '../state/patch.ts';
import type { SessionState } from '../state/session-state.ts';
import type { ReadRecorder } from './read-set.ts';
import type { StateCell } from './state-cell.ts';

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
