import { SessionError, TransactionClosedError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { DispatchedEvent, Dispatcher } from '../event/event.ts';
import type { AnySlice } from '../slice/view.ts';
import type { Lineage, Part, Registry, SessionState, StateCell } from '../state/cell.ts';
import type { LogAppend, SessionOperation, SessionPatch } from '../state/patch.ts';
import type { ReadRecorder, SessionRead } from '../state/read.ts';
import {
  type SliceWrite,
  type StateDifference,
  StateMark,
  stateDifference,
} from '../state/state-difference.ts';
import { CollectedReads, ForkPatch, type PatchOrigin, reapply, stateAfter, withLog } from './apply-patch.ts';
import { ReadSet } from './read-set.ts';
import { CellView, type SessionView } from './view.ts';

/** What a fork has read and done. */
export interface ObservedSessionFork extends Pick<SessionPatch, 'log' | 'events'> {
  readonly reads: readonly SessionRead[];
  /** What makes the STATE slices that the fork began with into those it has now. */
  readonly writes: readonly SliceWrite[];
}

/** Options of a fork. */
export interface ForkOptions {
  /** Refuse writes to STATE through {@link SessionFork.view}; LOG can still be appended to. Default false. */
  readonly readOnly?: boolean;
  /** The owner of the fork: one of the privileged part stays usable after the handler's has ended. Default: the handler's. */
  readonly part?: Part;
}

/**
 * A private copy of a session for one tool call: it reads through and writes privately, and records what was read.
 * Making one is O(1).
 * @see docs/spec/transactions.md §2
 */
export interface SessionFork {
  /** What a handler gets. Throws TransactionClosedError once the fork is closed. */
  readonly view: SessionView;
  /** What policies and the runtime get: as {@link view}, but it may write even where `view` is read-only. */
  readonly privileged: SessionView;
  /** Calls `listener` before each access through {@link view}, by the handler or by nested forks; it must not throw, and may seal the fork. */
  onAccess(listener: () => void): void;
  /** Installs a slice in the root session; slices are definitions, no state, so this is not undone. */
  install(slice: AnySlice): void;
  /**
   * Names what was read here and is different by now in the session (or fork) this one was made from, or the event that
   * its reducers refuse there. Empty: {@link patch} can be applied. Also for a patch that is to be discarded, since the
   * failure came from what was read. Works after {@link dispose}.
   */
  conflicts(): readonly string[];
  /**
   * Why the changes cannot be applied to the present state, regardless of reads: the event that its reducers refuse there.
   * Empty: {@link patch} can be applied. For a call whose external effects remain. Works after {@link dispose}.
   */
  refusals(): readonly string[];
  /** What was read and done so far, for observers: looking at it does not count as a read. Works after {@link dispose}. */
  observe(options?: { readonly results?: boolean }): ObservedSessionFork;
  /**
   * Does a read of another fork again: it counts as read here. Returns its result, which is that of the other one when it finds the same; undefined when
   * the slice is not installed any more.
   */
  readAgain(read: SessionRead): string | undefined;
  /** The present state, to compare a later one with. Looking at it does not count as a read. */
  mark(): StateMark;
  /** What changed since a mark of this fork. Works after {@link dispose}. */
  changesSince(mark: StateMark): StateDifference;
  /** Everything that was done. Works after {@link dispose}. */
  patch(): SessionPatch;
  /** What remains when the call is rolled back: LOG items and their events. Works after {@link dispose}. */
  discardedPatch(): SessionPatch;
  /** A fork that applies into this one; read-only when this one is. */
  fork(options?: ForkOptions): SessionFork;
  /**
   * Takes in the patch of a fork of this one. @throws {SessionError} code `reducer-failed` when it refuses here.
   * @param part whose fork it was. Default: the handler's.
   */
  apply(patch: SessionPatch, part?: Part): void;
  /** Ends the handler's part: {@link view} and its nested forks throw TransactionClosedError from now on; {@link privileged} stays usable. */
  seal(): void;
  /**
   * Ends the fork: views, their accessors and nested forks throw TransactionClosedError from now on. A nested fork that
   * has been applied by then costs the outer one fewer conflicts than one that is applied later or never.
   */
  dispose(): void;
}

/** An answer, and what it holds for. */
interface Answer {
  readonly present: SessionState;
  readonly version: number;
  readonly names: readonly string[];
}

/** The state after a patch, computed beforehand for one base. */
interface Prepared {
  readonly base: SessionState;
  readonly next: SessionState;
  readonly reads: CollectedReads;
}

/** The only implementation of {@link SessionFork}. */
export class CellFork implements SessionFork, StateCell, PatchOrigin {
  readonly sessionId: string;
  readonly registry: Registry;
  readonly lineage: Lineage;
  readonly recorder: ReadSet;
  readonly isFork = true;
  current: SessionState;

  /** Where this fork comes from and applies to. */
  readonly #parent: StateCell;
  /** Whose part of the parent it belongs to. */
  readonly #parentPart: Part;
  readonly #dispatcher: Dispatcher;
  readonly #isReadOnly: boolean;
  readonly #base: SessionState;
  #view: SessionView | undefined;
  #privileged: SessionView | undefined;
  #accessListener: (() => void) | undefined;
  #isSealed = false;
  #isClosed = false;
  /** Whether the outer fork has taken in everything done so far. */
  #isApplied = false;
  #operations: SessionOperation[] = [];
  #log: LogAppend[] = [];
  #events: DispatchedEvent[] = [];
  /** Once requested, it shares the three lists. */
  #patch: SessionPatch | undefined;
  /** Counts changes; with the number of reads it says whether anything happened since. */
  #changeCount = 0;
  #prepared: Prepared | undefined;
  #conflicts: Answer | undefined;
  #refusals: Answer | undefined;

  constructor(parent: StateCell, dispatcher: Dispatcher, isReadOnly: boolean, parentPart: Part = 'handler') {
    this.sessionId = parent.sessionId;
    this.registry = parent.registry;
    this.lineage = parent.lineage;
    this.recorder = new ReadSet(parent.recorder);
    this.#parent = parent;
    this.#parentPart = parentPart;
    this.#dispatcher = dispatcher;
    this.#isReadOnly = isReadOnly;
    this.#base = parent.current;
    this.current = this.#base;
  }

  outcomeOn(
    cell: StateCell,
    patch: SessionPatch,
    recorder: ReadRecorder | undefined,
  ): SessionState | undefined {
    // Another cell has not recorded the reads of this fork, and this fork may have changed since it made the patch.
    if (cell !== this.#parent || patch !== this.#patch) return undefined;
    if (cell.current === this.#base) return this.current;
    if (this.#prepared?.base !== cell.current) return undefined;
    this.#prepared.reads.passTo(recorder);
    return this.#prepared.next;
  }

  recordApplied(patch: SessionPatch): void {
    if (patch === this.#patch) this.#isApplied = true;
  }

  get view(): SessionView {
    this.#view ??= new CellView(
      { cell: this, part: 'handler', isReadOnly: this.#isReadOnly },
      this.#dispatcher,
    );
    return this.#view;
  }

  get privileged(): SessionView {
    this.#privileged ??= new CellView(
      { cell: this, part: 'privileged', isReadOnly: false },
      this.#dispatcher,
    );
    return this.#privileged;
  }

  commit(
    next: SessionState,
    operation: SessionOperation | undefined,
    log: readonly LogAppend[],
    event: DispatchedEvent | undefined,
  ): void {
    if (this.#patch !== undefined) this.#startNewPatch();
    this.current = next;
    this.#changeCount += 1;
    this.#isApplied = false;
    if (operation !== undefined) this.#operations.push(after(this.#log.length, operation));
    for (const entry of log) this.#log.push(entry);
    if (event !== undefined) this.#events.push(event);
  }

  onAccess(listener: () => void): void {
    this.#accessListener = listener;
  }

  install(slice: AnySlice): void {
    this.assertUsable('write', 'handler');
    this.registry.install(slice);
  }

  conflicts(): readonly string[] {
    const present = this.#parent.current;
    if (present === this.#base) return none;
    const version = this.#changeCount + this.recorder.size;
    if (this.#conflicts?.present === present && this.#conflicts.version === version)
      return this.#conflicts.names;
    const changed = this.recorder.changes(this.#base, present);
    const names = changed.length > 0 ? Object.freeze(changed) : this.refusals();
    this.#conflicts = { present, version, names };
    return names;
  }

  refusals(): readonly string[] {
    const present = this.#parent.current;
    if (present === this.#base) return none;
    const version = this.#changeCount;
    if (this.#refusals?.present === present && this.#refusals.version === version)
      return this.#refusals.names;
    const names = Object.freeze(this.#prepareFor(present));
    this.#refusals = { present, version, names };
    return names;
  }

  observe({ results = false }: { readonly results?: boolean } = {}): ObservedSessionFork {
    const { log, events } = this.patch();
    const { writes } = stateDifference(this.registry, this.#base, this.current);
    return { reads: this.recorder.observe(results ? this.#base : undefined), writes, log, events };
  }

  readAgain(read: SessionRead): string | undefined {
    return this.recorder.readAgain(read, this.registry, this.current);
  }

  mark(): StateMark {
    return new StateMark(this.current);
  }

  changesSince(mark: StateMark): StateDifference {
    return mark.differenceTo(this.registry, this.current);
  }

  patch(): SessionPatch {
    this.#patch ??= new ForkPatch(
      { operations: this.#operations, log: this.#log, events: this.#events },
      this,
    );
    return this.#patch;
  }

  discardedPatch(): SessionPatch {
    const { log, events } = this.patch();
    const isLogged = (event: DispatchedEvent): boolean => event.policy === 'log';
    return Object.freeze({
      operations: none,
      log,
      events: Object.freeze(events.filter(isLogged)),
    });
  }

  fork({ readOnly = false, part = 'handler' }: ForkOptions = {}): SessionFork {
    this.assertUsable('write', part);
    return new CellFork(this, this.#dispatcher, this.#isReadOnly || readOnly, part);
  }

  apply(patch: SessionPatch, part: Part = 'handler'): void {
    this.assertUsable('write', part);
    const next = stateAfter(this, patch, this.recorder);
    this.commit(next, undefined, none, undefined);
    const earlier = this.#log.length;
    for (const operation of patch.operations) {
      this.#operations.push(after(earlier + (operation.logged ?? 0), operation));
    }
    for (const entry of patch.log) this.#log.push(entry);
    for (const event of patch.events) this.#events.push(event);
    ForkPatch.originOf(patch)?.recordApplied(patch);
  }

  seal(): void {
    this.#isSealed = true;
  }

  dispose(): void {
    if (this.#parent.isFork && !this.#isClosed && !this.#isApplied) this.recorder.recordUnapplied();
    this.#isClosed = true;
  }

  assertUsable(use: 'read' | 'write', part: Part): void {
    if (this.#accessListener !== undefined && part === 'handler') this.#accessListener();
    if (this.#isClosed || (this.#isSealed && part === 'handler')) {
      throw new TransactionClosedError(
        'This tool call has ended, so its session can no longer be used. Nothing that is written now would land anywhere.',
      );
    }
    const { registry } = this;
    if (this.#parent.isFork || registry.isReducing || registry.isDisposed)
      this.#parent.assertUsable(use, this.#parentPart);
  }

  /** The lists belong to the returned patch: continues with copies. Results prepared for that patch do not apply to the next. */
  #startNewPatch(): void {
    this.#patch = undefined;
    this.#prepared = undefined;
    this.#operations = [...this.#operations];
    this.#log = [...this.#log];
    this.#events = [...this.#events];
  }

  /** Works out the state after this patch, so that applying it is only taking it over; or says why there is none. */
  #prepareFor(present: SessionState): readonly string[] {
    const reads = new CollectedReads();
    const patch = this.patch();
    let next = this.current;
    try {
      if (present.slices !== this.#base.slices) next = reapply(this.#parent, present, patch, reads);
      else if (present.logs !== this.#base.logs) {
        const { layout, slices } = next;
        next = { layout, slices, logs: withLog(this.#parent, present, patch.log).logs };
      }
    } catch (error) {
      return [describeRefusal(error)];
    }
    this.#prepared = { base: present, next, reads };
    return [];
  }
}

function describeRefusal(error: unknown): string {
  const event = SessionError.isInstance(error) ? error.details['event'] : undefined;
  return typeof event === 'string'
    ? `reducer of ${event} refused on the present state`
    : 'a change is refused on the present state';
}

/** The operation, to be done again once the patch has added so many entries to the log. */
function after(logged: number, operation: SessionOperation): SessionOperation {
  return logged === 0 ? operation : { ...operation, logged };
}
