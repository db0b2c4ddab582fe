import { SessionError, TransactionClosedError } from '../error/index.ts';
import { CellView } from './cell-view.ts';
import type { AnySlice } from './derived-slice.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { DispatchedEvent, LogAppend, SessionOperation, SessionPatch } from './patch.ts';
import { ReadSet } from './read-set.ts';
import type { Registry } from './registry.ts';
import { CollectedLooks, rememberPrepared, replay, replayPatch, withLog } from './replay-patch.ts';
import type { SessionState } from './session-state.ts';
import type { Lineage } from './snapshot.ts';
import type { Access, Change, StateCell } from './state-cell.ts';
import type { SessionView } from './view.ts';

/** Options of a fork. */
export interface ForkOptions {
  /** Refuse writes to STATE through {@link SessionFork.view}; LOG can still be appended to. Default false. */
  readonly readOnly?: boolean;
}

/**
 * A private copy of a session for one tool call: it reads through and writes privately, and records what was read.
 * Making one is O(1).
 * @see spec TOOLS "Runtime Dispatch"
 */
export interface SessionFork {
  /** What a handler gets. Throws TransactionClosedError once the fork is closed. */
  readonly view: SessionView;
  /** What policies and the runtime get: as {@link view}, but it may write even where `view` is read-only. */
  readonly privileged: SessionView;
  /** Installs a slice in the root session; slices are definitions, no state, so this is not undone. */
  install(slice: AnySlice): void;
  /**
   * Names what was read here and is different by now in the session (or fork) this one was made from, or the event that
   * its reducers refuse there. Empty: {@link patch} can be applied. Also for a patch that is to be discarded, since the
   * failure came from what was read. Works after {@link close}.
   */
  conflicts(): readonly string[];
  /**
   * Why what was done cannot be put on the present state, whatever was read: the event that its reducers refuse there.
   * Empty: {@link patch} can be applied. For a call whose effects on the outside world stand. Works after {@link close}.
   */
  refusals(): readonly string[];
  /** Everything that was done. Works after {@link close}. */
  patch(): SessionPatch;
  /** What stands when the call is rolled back: LOG items and their events. Works after {@link close}. */
  discardedPatch(): SessionPatch;
  /** A fork that applies into this one; read-only when this one is. */
  fork(options?: ForkOptions): SessionFork;
  /** Takes in the patch of a fork of this one. @throws {SessionError} code `reducer-failed` when it refuses here. */
  apply(patch: SessionPatch): void;
  /** Ends the handler's part: {@link view} and nested forks throw TransactionClosedError from now on, {@link privileged} goes on. */
  seal(): void;
  /**
   * Ends the fork: views, their accessors and nested forks throw TransactionClosedError from now on. A nested fork that
   * has been applied by then costs the outer one fewer conflicts than one that is applied later or never.
   */
  close(): void;
}

/** Where a fork comes from and applies to. */
export interface ForkParent {
  readonly cell: StateCell;
  /** Throws when the parent is closed or disposed. */
  assertUsable(use: 'read' | 'write'): void;
}

/** An answer, and what it holds for. */
interface Answer {
  readonly present: SessionState;
  readonly version: number;
  readonly names: readonly string[];
}

/** The only implementation of {@link SessionFork}. */
export class CellFork implements SessionFork, StateCell {
  static readonly #origins = new WeakMap<SessionPatch, CellFork>();
  readonly view: SessionView;
  readonly privileged: SessionView;
  readonly sessionId: string;
  readonly registry: Registry;
  readonly lineage: Lineage;
  readonly recorder: ReadSet;
  readonly isFork = true;

  readonly #parent: ForkParent;
  readonly #dispatcher: Dispatcher;
  readonly #isReadOnly: boolean;
  readonly #base: SessionState;
  #current: SessionState;
  #isSealed = false;
  #isClosed = false;
  /** Whether the outer fork has taken in everything done so far. */
  #isApplied = false;
  readonly #operations: SessionOperation[] = [];
  readonly #log: LogAppend[] = [];
  readonly #events: DispatchedEvent[] = [];
  /** Counts changes; with the number of reads it says whether anything happened since. */
  #changeCount = 0;
  #patch: { readonly version: number; readonly patch: SessionPatch } | undefined;
  #conflicts: Answer | undefined;
  #refusals: Answer | undefined;

  constructor(parent: ForkParent, dispatcher: Dispatcher, options: ForkOptions) {
    const { cell } = parent;
    this.sessionId = cell.sessionId;
    this.registry = cell.registry;
    this.lineage = cell.lineage;
    this.recorder = new ReadSet(cell.recorder);
    this.#parent = parent;
    this.#dispatcher = dispatcher;
    this.#isReadOnly = options.readOnly ?? false;
    this.#base = cell.current;
    this.#current = cell.current;
    this.view = new CellView(this.#access(this.#isReadOnly, 'handler'), dispatcher);
    this.privileged = new CellView(this.#access(false, 'privileged'), dispatcher);
  }

  get current(): SessionState {
    return this.#current;
  }

  commit({ next, operations = [], log = [], events = [] }: Change): void {
    this.#current = next;
    const earlier = this.#log.length;
    for (const operation of operations) {
      const logged = earlier + (operation.logged ?? 0);
      this.#operations.push(logged === 0 ? operation : { ...operation, logged });
    }
    for (const entry of log) this.#log.push(entry);
    for (const event of events) this.#events.push(event);
    this.#changeCount += 1;
    this.#isApplied = false;
  }

  install(slice: AnySlice): void {
    this.#assertUsable('write', 'handler');
    this.registry.install(slice);
  }

  conflicts(): readonly string[] {
    const present = this.#parent.cell.current;
    const version = this.#changeCount + this.recorder.size;
    if (this.#conflicts?.present === present && this.#conflicts.version === version)
      return this.#conflicts.names;
    const changed = this.recorder.changes(this.#base, present);
    const names = changed.length > 0 ? Object.freeze(changed) : this.refusals();
    this.#conflicts = { present, version, names };
    return names;
  }

  refusals(): readonly string[] {
    const present = this.#parent.cell.current;
    const version = this.#changeCount;
    if (this.#refusals?.present === present && this.#refusals.version === version)
      return this.#refusals.names;
    const names = Object.freeze(this.#prepareFor(present));
    this.#refusals = { present, version, names };
    return names;
  }

  patch(): SessionPatch {
    if (this.#patch?.version !== this.#changeCount) {
      const patch: SessionPatch = Object.freeze({
        operations: Object.freeze([...this.#operations]),
        log: Object.freeze([...this.#log]),
        events: Object.freeze([...this.#events]),
      });
      this.#patch = { version: this.#changeCount, patch };
      CellFork.#origins.set(patch, this);
    }
    return this.#patch.patch;
  }

  discardedPatch(): SessionPatch {
    return Object.freeze({
      operations: Object.freeze([]),
      log: Object.freeze([...this.#log]),
      events: Object.freeze(this.#events.filter((event) => event.policy === 'log')),
    });
  }

  fork(options: ForkOptions = {}): SessionFork {
    this.#assertUsable('write', 'handler');
    return new CellFork(
      { cell: this, assertUsable: (use) => this.#assertUsable(use, 'handler') },
      this.#dispatcher,
      this.#isReadOnly ? { ...options, readOnly: true } : options,
    );
  }

  apply(patch: SessionPatch): void {
    this.#assertUsable('write', 'handler');
    this.commit({ ...patch, next: replayPatch(this, patch, this.recorder) });
    const origin = CellFork.#origins.get(patch);
    if (origin !== undefined && origin.patch() === patch) origin.#isApplied = true;
  }

  seal(): void {
    this.#isSealed = true;
  }

  close(): void {
    if (!this.#isClosed && !this.#isApplied) this.recorder.endUnapplied();
    this.#isClosed = true;
  }

  /** Works out the state after this patch, so that applying it is only taking it over; or says why there is none. */
  #prepareFor(present: SessionState): readonly string[] {
    const { cell } = this.#parent;
    const looks = new CollectedLooks();
    const patch = this.patch();
    let next = this.#current;
    try {
      if (present.slices !== this.#base.slices) next = replay(cell, present, patch, looks);
      else if (present.logs !== this.#base.logs) {
        next = { ...next, logs: withLog(cell, present, patch.log).logs };
      }
    } catch (error) {
      return [describeRefusal(error)];
    }
    rememberPrepared(patch, { base: present, next, looks });
    return [];
  }

  #access(isReadOnly: boolean, part: 'handler' | 'privileged'): Access {
    return { cell: this, isReadOnly, assertUsable: (use) => this.#assertUsable(use, part) };
  }

  #assertUsable(use: 'read' | 'write', part: 'handler' | 'privileged'): void {
    if (this.#isClosed || (this.#isSealed && part === 'handler')) {
      throw new TransactionClosedError(
        'This tool call has ended, so its session can no longer be used. Nothing that is written now would land anywhere.',
      );
    }
    this.#parent.assertUsable(use);
  }
}

function describeRefusal(error: unknown): string {
  const event = SessionError.isInstance(error) ? error.details['event'] : undefined;
  return typeof event === 'string'
    ? `reducer of ${event} refused on the present state`
    : 'a change is refused on the present state';
}
