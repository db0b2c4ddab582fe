import { describeError, SessionBusyError, SessionError } from '../error/index.ts';
import { CellView } from './cell-view.ts';
import { type Clock, systemClock } from './clock.ts';
import type { AnySlice, DerivedSlice } from './derived-slice.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import type { EventDefinition } from './event.ts';
import { CellFork, type ForkOptions, type SessionFork } from './fork.ts';
import { type IdSource, randomIds } from './ids.ts';
import type { DispatchedEvent, SessionPatch } from './patch.ts';
import { Registry } from './registry.ts';
import { replayPatch } from './replay-patch.ts';
import { emptySessionState, type SessionState } from './session-state.ts';
import type { Slice } from './slice.ts';
import type { Lineage, SessionSnapshot } from './snapshot.ts';
import type { Change, StateCell } from './state-cell.ts';
import type { ReadonlySliceAccessor, SessionView, SliceAccessor } from './view.ts';

/** Where a session without a dispatcher of the caller's reports what subscribers threw. */
export interface SessionLogger {
  /** Must not throw. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Options of a {@link Session}. */
export interface SessionOptions {
  /** Default: from `ids`. */
  readonly id?: string;
  /** Tells subscribers of this session's events; may be shared by sessions. Default: one of its own. */
  readonly dispatcher?: Dispatcher;
  /** The session this one belongs to; it lists this one among its children until this one is disposed. */
  readonly parent?: Session;
  /** Free text labels. Default: none. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Default: random UUIDs. */
  readonly ids?: IdSource;
  /** Hears what subscribers threw, where no `dispatcher` is given. Default: nobody hears it. */
  readonly logger?: SessionLogger;
}

/** Options of {@link Session.clone}: what is not given is taken from the original, but for a new id and a dispatcher of its own. */
export type CloneOptions = SessionOptions;

/**
 * The state of a run: typed slices, changed by events through pure reducers. Reading and writing here takes effect at
 * once; tool calls work on a {@link fork}.
 * @see spec SESSIONS
 */
export class Session implements SessionView, AsyncDisposable {
  readonly id: string;
  readonly dispatcher: Dispatcher;
  readonly parent: Session | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Makes ids of what belongs to the session, such as events. */
  readonly ids: IdSource;

  readonly #options: SessionOptions;
  readonly #cell: RootCell;
  readonly #view: CellView;
  readonly #children: Session[] = [];
  readonly #disposeCallbacks: (() => void | Promise<void>)[] = [];
  #isHeld = false;
  #isDisposed = false;
  #disposal: Promise<void> | undefined;

  constructor(options: SessionOptions = {}) {
    this.#options = options;
    this.ids = options.ids ?? randomIds;
    this.id = options.id ?? this.ids();
    this.dispatcher = options.dispatcher ?? ownDispatcher(options.logger);
    this.parent = options.parent;
    this.tags = Object.freeze({ ...options.tags });
    this.clock = options.clock ?? systemClock;
    this.#cell = new RootCell(this.id, this.dispatcher);
    const assertUsable = (use: 'read' | 'write'): void => this.#assertUsable(use);
    this.#view = new CellView({ cell: this.#cell, isReadOnly: false, assertUsable }, this.dispatcher);
    if (this.parent !== undefined) this.parent.#children.push(this);
  }

  /** Sessions that name this one as their parent and are not disposed, oldest first. */
  get children(): readonly Session[] {
    return [...this.#children];
  }

  /**
   * Makes a slice and its events known; a derived slice brings its source. Installing a slice again does nothing.
   * @throws {SessionError} code `slice-duplicate` or `event-duplicate` when another definition has the name,
   * `event-policy-mixed` when an event would feed STATE and LOG; the slice is not installed then.
   */
  install(slice: AnySlice): void {
    this.#assertUsable('write');
    this.#cell.registry.install(slice);
  }

  slice<T>(slice: Slice<T>): SliceAccessor<T>;
  slice<T>(slice: DerivedSlice<T>): ReadonlySliceAccessor<T>;
  slice<T>(slice: Slice<T> | DerivedSlice<T>): SliceAccessor<T> {
    return this.#view.slice(slice);
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    this.#view.dispatch(event, payload);
  }

  snapshot(): SessionSnapshot {
    return this.#view.snapshot();
  }

  restore(snapshot: SessionSnapshot): void {
    this.#view.restore(snapshot);
  }

  /** Puts all slices, STATE and LOG, back to their initial items. Slices and reducers stay installed; subscribers hear nothing. */
  reset(): void {
    this.#assertUsable('write');
    this.#cell.commit({ next: emptySessionState });
  }

  /**
   * A session with the same slices, reducers and present state, which then goes its own way. It has a new id and a
   * dispatcher of its own unless given; parent, tags, clock and id source are this one's unless given. It is not held and shares no disposal.
   */
  clone(options: CloneOptions = {}): Session {
    this.#assertUsable('write');
    const { parent, tags, clock, ids, logger } = this.#options;
    const inherited: SessionOptions = {
      ...(parent === undefined ? {} : { parent }),
      ...(tags === undefined ? {} : { tags }),
      ...(clock === undefined ? {} : { clock }),
      ...(ids === undefined ? {} : { ids }),
      ...(logger === undefined ? {} : { logger }),
    };
    const copy = new Session({ ...inherited, ...options });
    copy.#cell.become(this.#cell);
    return copy;
  }

  /** A private copy for one tool call. O(1). */
  fork(options: ForkOptions = {}): SessionFork {
    this.#assertUsable('write');
    const parent = {
      cell: this.#cell,
      assertUsable: (use: 'read' | 'write'): void => this.#assertUsable(use),
    };
    return new CellFork(parent, this.dispatcher, options);
  }

  /**
   * Puts the patch of a fork on the present state, then tells the subscribers, in order. Right after an empty
   * `conflicts()` of the fork no reducer runs again.
   * @param tell what subscribers are told in place of an event; reducers get the event as it is. Must not throw. Default: the event.
   * @throws {SessionError} code `reducer-failed` when a reducer refuses on the present state; nothing is applied then.
   */
  apply(patch: SessionPatch, tell?: (event: DispatchedEvent) => DispatchedEvent): void {
    this.#assertUsable('write');
    const next = replayPatch(this.#cell, patch, undefined);
    this.#cell.commit({ ...patch, next, ...(tell === undefined ? {} : { events: patch.events.map(tell) }) });
  }

  /**
   * Takes the session for one evaluation.
   * @returns a function that gives it back; calling it again does nothing.
   * @throws {SessionBusyError} when it is taken.
   */
  hold(): () => void {
    this.#assertUsable('write');
    if (this.#isHeld) {
      throw new SessionBusyError(
        [
          `Session ${this.id} is held by an evaluation that is still running.`,
          'A handler of that evaluation goes on inside its call with context.adapter.evaluate();',
          'anything else waits for its end, or uses another session.',
        ].join(' '),
        { details: { sessionId: this.id } },
      );
    }
    this.#isHeld = true;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#isHeld = false;
    };
  }

  /** Runs `callback` when the session is disposed, the last registered first. May throw: the others still run. */
  onDispose(callback: () => void | Promise<void>): void {
    this.#assertUsable('write');
    this.#disposeCallbacks.push(callback);
  }

  /**
   * Disposes what belongs to the session. Afterwards its state can be read but not changed. Disposing twice is disposing once.
   * Rejects with what a dispose callback threw; with an AggregateError when several did.
   */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.#isDisposed = true;
    const siblings = this.parent === undefined ? [] : this.parent.#children;
    const position = siblings.indexOf(this);
    if (position >= 0) siblings.splice(position, 1);
    const errors: unknown[] = [];
    for (const callback of this.#disposeCallbacks.toReversed()) {
      try {
        await callback();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) {
      throw new AggregateError(
        errors,
        `Disposing session ${this.id} failed ${errors.length} times: ${errors.map(describeError).join('; ')}`,
      );
    }
  }

  #assertUsable(use: 'read' | 'write'): void {
    if (this.#isDisposed && use === 'write') {
      throw new SessionError(
        'session-disposed',
        `Session ${this.id} has been disposed and cannot be changed any more.`,
      );
    }
    this.#cell.registry.assertNotReducing();
  }
}

function ownDispatcher(logger: SessionLogger | undefined): Dispatcher {
  if (logger === undefined) return createDispatcher();
  return createDispatcher({
    onError: (error, eventName) =>
      logger.error(`A subscriber of ${eventName} failed: ${describeError(error)}`, { eventName }),
  });
}

/** The state of a root session: changes take effect at once and subscribers hear right after. */
class RootCell implements StateCell {
  readonly sessionId: string;
  readonly registry: Registry = new Registry();
  lineage: Lineage = Object.freeze({});
  readonly recorder = undefined;
  readonly isFork = false;
  readonly #dispatcher: Dispatcher;
  #current: SessionState = emptySessionState;

  constructor(sessionId: string, dispatcher: Dispatcher) {
    this.sessionId = sessionId;
    this.#dispatcher = dispatcher;
  }

  get current(): SessionState {
    return this.#current;
  }

  /** Takes over slices, state and lineage of another cell. This one must be new. */
  become(other: RootCell): void {
    this.registry.adopt(other.registry);
    this.lineage = other.lineage;
    this.#current = other.current;
  }

  commit({ next, events = [] }: Change): void {
    this.#current = next;
    for (const event of events) this.#dispatcher.deliver(event, this.sessionId);
  }
}
