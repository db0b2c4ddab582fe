import { assertArgument, assertOptions, describeError, SessionBusyError } from '../error/index.ts';
import { present } from '../internal/index.ts';
import { type Clock, systemClock } from './clock.ts';
import {
  type DispatchedEvent,
  type Dispatcher,
  type EventDefinition,
  type EventDelivery,
  refuse,
} from './event/event.ts';
import { readSessionExport } from './export/read-session-export.ts';
import {
  exportFormat,
  exportSlices,
  exportVersion,
  importSlices,
  type SessionExport,
  type SessionExportOptions,
  type SessionImportOptions,
  type SessionImportReport,
} from './export/session-export.ts';
import { stateAfter } from './fork/apply-patch.ts';
import { CellFork, type ForkOptions, type SessionFork } from './fork/fork.ts';
import { CellView, type SessionView } from './fork/view.ts';
import {
  assertIdentity,
  assertSessionServices,
  type IdSource,
  ownDispatcher,
  randomIds,
  type SessionLogger,
  sessionChecks,
} from './session-options.ts';
import { internalsOf } from './slice/define-slice.ts';
import type { Slice } from './slice/slice.ts';
import type { AnySlice, DerivedSlice, ReadonlySliceAccessor, SliceAccessor } from './slice/view.ts';
import { RootCell, type SliceInstallOptions, sliceStateIn } from './state/cell.ts';
import type { SessionPatch, SessionSnapshot } from './state/patch.ts';
import {
  type ObservedSlice,
  observedSlice,
  type StateDifference,
  StateMark,
  wholeState,
} from './state/state-difference.ts';

/** Options of a {@link Session}. */
export interface SessionOptions {
  /**
   * A text of 1 to 512 characters, without U+0000 and without half of a surrogate pair; not the id of the parent or of a session above it. Default: from `ids`.
   */
  readonly id?: string;
  /** Tells subscribers of this session's events; may be shared by sessions. Default: one of its own. */
  readonly dispatcher?: Dispatcher;
  /** The session this one belongs to, for good; it lists this one among its children until this one is disposed. */
  readonly parent?: Session;
  /** Free text labels. Default: none. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Default: random UUIDs. */
  readonly ids?: IdSource;
  /** Called with what subscribers threw, where no `dispatcher` is given. Default: it is dropped. */
  readonly logger?: SessionLogger;
}

/** What a session holds: its slices, and their items as the difference from empty ones. */
export interface ObservedSession extends StateDifference {
  readonly slices: readonly ObservedSlice[];
}

/** Options of {@link Session.clone}: absent options are taken from the original, except for a new id and a dispatcher of its own. */
export type CloneOptions = SessionOptions;

/**
 * The state of a run: typed slices, changed by events through pure reducers. Reading and writing here takes effect at once; tool calls work on a {@link fork}.
 *
 * ```ts
 * import { defineSlice, Session } from 'weakincentives';
 * import { z } from 'zod';
 *
 * const Notes = defineSlice({ name: 'notes', schema: z.string() });
 * const session = new Session();
 * session.install(Notes);
 * session.slice(Notes).append('Buy bread.');
 * console.log(session.slice(Notes).latest()); // Buy bread.
 * ```
 * @see docs/spec/session.md §1
 */
export class Session implements SessionView, AsyncDisposable {
  readonly id: string;
  readonly dispatcher: Dispatcher;
  readonly tags: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** When this session was made, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** Makes ids of what belongs to the session, such as events. */
  readonly ids: IdSource;

  readonly #options: SessionOptions;
  readonly #parent: Session | undefined;
  readonly #cell: RootCell;
  readonly #view: CellView;
  readonly #children: Session[] = [];
  readonly #disposeCallbacks: (() => void | Promise<void>)[] = [];
  #isHeld = false;
  #disposal: Promise<void> | undefined;

  /**
   * @throws {SessionError} code `session-invalid` for an id that is not such a text or is the id of a session above, and for a tag
   * that is not a string; `session-disposed` when the parent is disposed.
   */
  constructor(options: SessionOptions = {}) {
    assertOptions('new Session()', options, sessionChecks, refuse);
    assertSessionServices(options.clock, options.dispatcher);
    if (options.parent !== undefined && !(options.parent instanceof Session))
      throw refuse('new Session(): parent must be a Session.', { details: { option: 'parent' } });
    this.#options = options;
    this.ids = options.ids ?? randomIds;
    this.id = options.id ?? this.ids();
    this.dispatcher = options.dispatcher ?? ownDispatcher(options.logger);
    this.#parent = options.parent;
    this.tags = Object.freeze({ ...options.tags });
    this.clock = options.clock ?? systemClock;
    this.createdAtMs = this.clock.now();
    assertIdentity(this);
    if (this.#parent !== undefined) this.#parent.#cell.assertUsable('write');
    this.#cell = new RootCell(this.id, this.dispatcher);
    this.#view = new CellView({ cell: this.#cell, part: 'privileged', isReadOnly: false }, this.dispatcher);
    if (this.#parent !== undefined) this.#parent.#children.push(this);
  }

  /** The session this one belongs to; it never changes. */
  get parent(): Session | undefined {
    return this.#parent;
  }

  /** Sessions that name this one as their parent and are not disposed, oldest first. */
  get children(): readonly Session[] {
    return [...this.#children];
  }

  /** This session and all below it: children before their parents, siblings oldest first. As it is now: a list of its own. */
  bottomUp(): readonly Session[] {
    const topDown: Session[] = [];
    const waiting: Session[] = [this];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      topDown.push(next);
      for (const child of next.#children) waiting.push(child);
    }
    return topDown.reverse();
  }

  /**
   * Makes a slice and its events known; a derived slice brings its source. Installing a slice again does nothing but what
   * the options say.
   * @throws {SessionError} code `slice-duplicate` or `event-duplicate` when another definition has the name,
   * `event-policy-mixed` when an event would feed STATE and LOG, `slice-invalid` for a `retain` that is not a positive integer or
   * is set on STATE; the slice is not installed then.
   */
  install(slice: AnySlice, options: SliceInstallOptions = {}): void {
    assertArgument('session.install()', 'slice', slice, 'object', refuse);
    assertArgument('session.install()', 'options', options, 'object', refuse);
    this.#cell.assertUsable('write');
    this.#cell.install(slice, options);
  }

  slice<T>(slice: Slice<T>): SliceAccessor<T>;
  slice<T>(slice: DerivedSlice<T>): ReadonlySliceAccessor<T>;
  slice<T>(slice: Slice<T> | DerivedSlice<T>): SliceAccessor<T> {
    assertArgument('session.slice()', 'slice', slice, 'object', refuse);
    return this.#view.slice(slice);
  }

  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void {
    if (event?.kind !== 'event') assertArgument('session.dispatch()', 'event', event, 'object', refuse);
    this.#view.dispatch(event, payload);
  }

  snapshot(): SessionSnapshot {
    return this.#view.snapshot();
  }

  restore(snapshot: SessionSnapshot): void {
    this.#view.restore(snapshot);
  }

  /**
   * The present state as plain JSON, for {@link importState} of this or another process: STATE slices, among them what
   * policies keep, by the names of their slices. O(items). Reads the committed state: running calls are not included.
   * @throws {SnapshotError} code `snapshot-item-invalid` for an item that could not come back, because a reducer made it
   * against the schema of its slice or because the schema would change it.
   */
  exportState(options: SessionExportOptions = {}): SessionExport {
    this.#cell.assertUsable('read');
    const { registry, current } = this.#cell;
    return Object.freeze({
      format: exportFormat,
      version: exportVersion,
      id: this.id,
      ...present({ parentId: this.#parent?.id }),
      childIds: Object.freeze(this.#children.map(({ id }) => id)),
      tags: this.tags,
      createdAtMs: this.createdAtMs,
      exportedAtMs: this.clock.now(),
      includesLogs: options.includeLogs ?? false,
      slices: exportSlices(registry, current, options),
    });
  }

  /**
   * Puts the state of an export in the place of this session's: everything, or nothing when it throws. Items of earlier
   * versions are migrated, all are validated by their slices; slices that are not listed go back to their initial items. LOG
   * slices stay as they are when the export was made without them. Id, parent, tags and times stay this session's.
   * Subscribers are not called.
   * @param value what {@link exportState} returned, as it is or through JSON. It may come from anywhere: it is copied and checked.
   * @throws {SnapshotError} codes `snapshot-malformed`, `snapshot-slice-unknown`, `snapshot-version-unsupported`,
   * `snapshot-migration-failed`, `snapshot-item-invalid`.
   */
  importState(value: unknown, options: SessionImportOptions = {}): SessionImportReport {
    this.#cell.assertUsable('write');
    const { registry, current } = this.#cell;
    const read = readSessionExport(value, options.maxValues);
    registry.isReducing = true;
    try {
      const { next, report } = importSlices(registry, current, read, options);
      this.#cell.current = next;
      return report;
    } finally {
      registry.isReducing = false;
    }
  }

  /** The present state, to compare a later one with. @internal */
  mark(): StateMark {
    return new StateMark(this.#cell.current);
  }

  /** What changed since a mark of this session. @internal */
  changesSince(mark: StateMark): StateDifference {
    return mark.differenceTo(this.#cell.registry, this.#cell.current);
  }

  /**
   * The slices that were installed after the first `known`, with their items. Those that were installed later than a mark have their initial items.
   * @internal
   */
  observe(known: number, mark?: StateMark): ObservedSession {
    const { registry, current } = this.#cell;
    const slices = [...registry.slices().values()].slice(known);
    const whole = mark === undefined ? wholeState(slices, current) : mark.wholeState(slices);
    return { slices: slices.map((slice) => observedSlice(registry, slice)), ...whole };
  }

  /** Puts all slices, STATE and LOG, back to their initial items. Slices and reducers stay installed; subscribers are not called. */
  reset(): void {
    this.#cell.assertUsable('write');
    this.#cell.current = this.#cell.registry.initialState;
  }

  /**
   * A session with the same slices, reducers and present state, which then goes its own way. It has a new id and a
   * dispatcher of its own unless given; parent, tags, clock and id source are this one's unless given. It is not held and shares no disposal.
   */
  clone(options: CloneOptions = {}): Session {
    this.#cell.assertUsable('write');
    const { id: _id, dispatcher: _dispatcher, ...inherited } = this.#options;
    const copy = new Session({ ...inherited, ...options });
    copy.#cell.become(this.#cell);
    return copy;
  }

  /** A private copy for one tool call. O(1). */
  fork(options: ForkOptions = {}): SessionFork {
    assertArgument('session.fork()', 'options', options, 'object', refuse);
    this.#cell.assertUsable('write');
    return new CellFork(this.#cell, this.dispatcher, options.readOnly ?? false);
  }

  /**
   * Applies the patch of a fork to the present state, then calls the subscribers, in order. Right after an empty
   * `conflicts()` of the fork no reducer runs again.
   * @param mapEvent maps an event to the one that subscribers get; reducers get the event unchanged. Must not throw. Default: the event itself.
   * @throws {SessionError} code `reducer-failed` when a reducer refuses on the present state; nothing is applied then.
   */
  apply(patch: SessionPatch, mapEvent?: (event: DispatchedEvent) => DispatchedEvent): void {
    this.applyQuietly(patch, mapEvent)();
  }

  /**
   * {@link apply} in two steps: applies the patch to the present state, and lets the caller decide when the subscribers are called.
   * @returns calls the subscribers; call it once.
   */
  applyQuietly(
    patch: SessionPatch,
    mapEvent?: (event: DispatchedEvent) => DispatchedEvent,
  ): (delivery?: EventDelivery) => void {
    this.#cell.assertUsable('write');
    const next = stateAfter(this.#cell, patch, undefined);
    // Before anything is changed: it may throw.
    const events = mapEvent === undefined ? patch.events : patch.events.map(mapEvent);
    this.#cell.current = next;
    return (delivery) => {
      for (const event of events) this.#cell.deliver(event, delivery);
    };
  }

  /**
   * Calls no subscribers while a run is repeated from its journal.
   * @returns ends that.
   * @internal
   */
  mute(): () => void {
    this.#cell.isMuted = true;
    return () => {
      this.#cell.isMuted = false;
    };
  }

  /** Whether a slice of this name is installed. @internal */
  knows(name: string): boolean {
    return this.#cell.registry.slices().has(name);
  }

  /** Whether every slice has its initial items. @internal */
  get isFresh(): boolean {
    const { current, registry } = this.#cell;
    return [...registry.slices().values()].every(
      (slice) => sliceStateIn(current, slice) === internalsOf(slice).initial,
    );
  }

  /** Every use throws `reason` from here on: what the session holds and what a journal holds may differ. @internal */
  lose(reason: Error): void {
    this.#cell.lost = reason;
  }

  /**
   * Takes the session for one evaluation.
   * @returns a function that gives it back; calling it again does nothing.
   * @throws {SessionBusyError} when it is taken.
   */
  hold(): () => void {
    this.#cell.assertUsable('write');
    if (this.#isHeld) {
      throw new SessionBusyError(
        [
          `Session ${this.id} is held by an evaluation that is still running, or by a tool runtime that is not disposed.`,
          'A handler evaluates inside its call with context.adapter.evaluate();',
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
    this.#cell.assertUsable('write');
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
    this.#cell.registry.isDisposed = true;
    const siblings = this.#parent === undefined ? [] : this.#parent.#children;
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
}
