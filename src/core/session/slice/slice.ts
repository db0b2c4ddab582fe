import { SchemaError, SessionError, type SessionErrorCode } from '../../error/index.ts';
import { none, PersistentMap, PersistentVector } from '../../internal/index.ts';
import { freezeJson, sameJson } from '../../schema/index.ts';

/** STATE rolls back with a failed tool call; LOG only ever grows, and keeps what a failed call wrote. */
export type SlicePolicy = StoredSlice['policy'];

/** A stored slice of any item type. Every {@link Slice} is one. Made by `defineSlice` only. */
export interface StoredSlice {
  readonly kind: 'slice';
  /** Identifies the slice within a session and in patches. */
  readonly name: string;
  readonly policy: 'state' | 'log';
  /** True when items are addressed by a key. */
  readonly keyed: boolean;
  /** True for state of the runtime itself, which a `restore` inside a tool call leaves alone. */
  readonly systemState: boolean;
}

/**
 * A typed list of items in a session.
 * @see docs/spec/session.md §2
 */
export interface Slice<in out T> extends StoredSlice {
  /** Carries the type for the compiler; never present at run time. */
  readonly '~item'?: (item: T) => T;
}

/** What a reducer does to its slice. Plain data, made by the methods of `SliceItems`; `remove` is for keyed slices only. */
export type SliceOperation<T> =
  | { readonly op: 'append'; readonly item: T; readonly moveToEnd?: boolean }
  | { readonly op: 'extend'; readonly items: readonly T[] }
  | { readonly op: 'replace'; readonly items: readonly T[] }
  | { readonly op: 'clear' }
  | { readonly op: 'remove'; readonly keys: readonly string[] }
  | { readonly op: 'keep' };

/** Options of `SliceItems.append`. @internal */
export interface AppendOptions {
  /** In a keyed slice: move the item to the end also when an item with the same key is elsewhere. Default false. */
  readonly moveToEnd?: boolean;
}

/**
 * A step that changes the items of a slice, applied without a reducer and without the key function of the slice.
 *
 * - `append`: adds items at the end of a slice without keys.
 * - `put`: in a keyed slice sets the item of a key, in its place; at the end for a new key, and with `toEnd`.
 * - `remove`: takes items out of a keyed slice.
 * - `clear`: empties the slice.
 */
export type SliceStep =
  | { readonly op: 'append'; readonly items: readonly unknown[] }
  | { readonly op: 'put'; readonly key: string; readonly item: unknown; readonly toEnd?: true }
  | { readonly op: 'remove'; readonly keys: readonly string[] }
  | { readonly op: 'clear' };

/** The items of one slice at one moment. Immutable; every change makes a new one that shares structure with the old. */
export interface SliceState {
  readonly length: number;
  /** A negative index counts from the end. */
  at(index: number): unknown;
  /** Frozen, made once per state. */
  all(): readonly unknown[];
  items(): Iterator<unknown>;
  /** @param moveToEnd in a keyed slice: also an item whose key is known goes to the end. */
  append(item: unknown, moveToEnd?: boolean): SliceState;
  cleared(): SliceState;
}

/** Items in the order they were added, optionally the last `retain` only. Appending is O(log n), with `retain` amortised. */
export class SequenceState implements SliceState {
  readonly #stored: PersistentVector<unknown>;
  readonly #retain: number;
  /** How many of the stored items are older than what is retained; at most `retain` of them, then they are dropped. */
  readonly #skipped: number;
  /** How many items were dropped from the stored ones, being older than what is retained. */
  readonly #dropped: number;
  #retained: readonly unknown[] | undefined;

  private constructor(stored: PersistentVector<unknown>, retain: number, dropped: number) {
    this.#stored = stored;
    this.#dropped = dropped;
    this.#retain = retain;
    this.#skipped = Math.max(0, stored.length - retain);
  }

  /** @param retain how many items to keep; default: all. */
  static empty(retain: number = Number.POSITIVE_INFINITY): SequenceState {
    return new SequenceState(PersistentVector.empty(), retain, 0);
  }

  get length(): number {
    return this.#stored.length - this.#skipped;
  }

  /** How many items it keeps; undefined: all. */
  get retain(): number | undefined {
    return Number.isFinite(this.#retain) ? this.#retain : undefined;
  }

  /** How many items were appended since it was empty, those that are no longer retained included. */
  get appended(): number {
    return this.#dropped + this.#stored.length;
  }

  /** Whether this state begins with the items of `earlier`, so that what came after them was appended. O(log n) where it was. */
  extends(earlier: SequenceState): boolean {
    if (this.appended < earlier.appended) return false;
    if (this.#dropped === earlier.#dropped) return this.#stored.startsWith(earlier.#stored);
    // Only LOG slices drop items, and those are not replaced: an item that both still hold tells.
    const position = earlier.appended - 1 - this.#dropped;
    return position < 0 || this.#stored.at(position) === earlier.at(-1);
  }

  at(index: number): unknown {
    const position = index < 0 ? this.length + index : index;
    return position < 0 ? undefined : this.#stored.at(position + this.#skipped);
  }

  all(): readonly unknown[] {
    if (this.#skipped === 0) return this.#stored.toArray();
    this.#retained ??= Object.freeze(this.#stored.toArray().slice(this.#skipped));
    return this.#retained;
  }

  *items(): Iterator<unknown> {
    for (let index = this.#skipped; index < this.#stored.length; index += 1) yield this.#stored.at(index);
  }

  append(item: unknown): SequenceState {
    if (this.#skipped < this.#retain)
      return new SequenceState(this.#stored.push(item), this.#retain, this.#dropped);
    const stored = PersistentVector.from([...this.all(), item]);
    return new SequenceState(stored, this.#retain, this.#dropped + this.#skipped);
  }

  cleared(): SequenceState {
    return this.length === 0 ? this : SequenceState.empty(this.#retain);
  }

  /** The last `retain` of these items, in a state that keeps no more. */
  retaining(retain: number): SequenceState {
    const stored = PersistentVector.from(this.all().slice(-retain));
    return new SequenceState(stored, retain, this.appended - stored.length);
  }
}

interface Entry {
  /** Grows with every key that is new; gives the order of the items. */
  readonly order: number;
  readonly item: unknown;
}

/** Finds the key of an item, or throws. */
export type KeyFunction = (item: unknown) => string;

/** Items addressed by key, in the order their keys first appeared. Reading or writing one key is O(log n). */
export class KeyedState implements SliceState {
  readonly #entries: PersistentMap<Entry>;
  readonly #nextOrder: number;
  readonly #keyOf: KeyFunction;
  /** The entry with the highest order; undefined when it has to be looked for (after the latest one was removed). */
  #last: Entry | undefined;
  #all: readonly unknown[] | undefined;

  private constructor(
    entries: PersistentMap<Entry>,
    nextOrder: number,
    keyOf: KeyFunction,
    last: Entry | undefined,
  ) {
    this.#entries = entries;
    this.#nextOrder = nextOrder;
    this.#keyOf = keyOf;
    this.#last = last;
  }

  static empty(keyOf: KeyFunction): KeyedState {
    return new KeyedState(PersistentMap.empty(), 0, keyOf, undefined);
  }

  get length(): number {
    return this.#entries.size;
  }

  get(key: string): unknown {
    return this.#entries.get(key)?.item;
  }

  /** The key that the slice gives an item. Throws what the key function of the slice throws. */
  keyOf(item: unknown): string {
    return this.#keyOf(item);
  }

  at(index: number): unknown {
    return index === -1 ? this.#latest()?.item : this.all().at(index);
  }

  all(): readonly unknown[] {
    this.#all ??= Object.freeze(
      [...this.#entries.values()].sort((left, right) => left.order - right.order).map((entry) => entry.item),
    );
    return this.#all;
  }

  items(): Iterator<unknown> {
    return this.all()[Symbol.iterator]();
  }

  append(given: unknown, moveToEnd = false): KeyedState {
    const key = this.#keyOf(given);
    const known = this.#entries.get(key);
    const isSame = known !== undefined && sameJson(known.item, given);
    const staysInPlace = known !== undefined && (!moveToEnd || known === this.#last);
    // Writing what is there already changes nothing, so that it conflicts with no read; nor does a move with reads of the key.
    if (isSame && staysInPlace) return this;
    const item = isSame ? known.item : given;
    const entry: Entry = { order: staysInPlace ? known.order : this.#nextOrder, item };
    const nextOrder = staysInPlace ? this.#nextOrder : this.#nextOrder + 1;
    const last = staysInPlace && known !== this.#last ? this.#last : entry;
    return new KeyedState(this.#entries.set(key, entry), nextOrder, this.#keyOf, last);
  }

  /** What fills an empty slice with these items, in their order. */
  steps(): readonly SliceStep[] {
    return [...this.#entries.entries()]
      .sort(([, left], [, right]) => left.order - right.order)
      .map(([key, { item }]) => ({ op: 'put', key, item }));
  }

  /** What makes `earlier` into this state; in time proportional to what the two do not share. */
  stepsSince(earlier: KeyedState): readonly SliceStep[] {
    const removed: string[] = [];
    const written: { readonly key: string; readonly entry: Entry; readonly before: Entry | undefined }[] = [];
    let shared = earlier.length;
    for (const { key, before, after } of PersistentMap.differences(earlier.#entries, this.#entries)) {
      if (before !== undefined) shared -= 1;
      if (after === undefined) removed.push(key);
      else written.push({ key, entry: after, before });
    }
    // In a slice that was emptied orders begin again, and nothing is shared.
    if (shared === 0 && earlier.length > 0) return [{ op: 'clear' }, ...this.steps()];
    const steps: SliceStep[] = removed.length === 0 ? [] : [{ op: 'remove', keys: removed }];
    for (const { key, entry, before } of written.sort(
      (left, right) => left.entry.order - right.entry.order,
    )) {
      const { item, order } = entry;
      const isMoved = before !== undefined && before.order !== order;
      steps.push(isMoved ? { op: 'put', key, item, toEnd: true } : { op: 'put', key, item });
    }
    return steps;
  }

  removed(keys: readonly string[]): KeyedState {
    let entries = this.#entries;
    let last = this.#last;
    for (const key of keys) {
      if (last !== undefined && entries.get(key) === last) last = undefined;
      entries = entries.delete(key);
    }
    return entries === this.#entries ? this : new KeyedState(entries, this.#nextOrder, this.#keyOf, last);
  }

  cleared(): KeyedState {
    return this.length === 0 ? this : KeyedState.empty(this.#keyOf);
  }

  #latest(): Entry | undefined {
    if (this.#last === undefined) {
      for (const entry of this.#entries.values()) {
        if (this.#last === undefined || entry.order > this.#last.order) this.#last = entry;
      }
    }
    return this.#last;
  }
}

/** A slice after an operation, and the items it took in, frozen. */
export interface AppliedOperation {
  readonly next: SliceState;
  readonly added: readonly unknown[];
}

/**
 * Applies an operation to a slice. `returned` is what a reducer returned.
 * @throws {SessionError} code `reducer-failed` when it is not an operation, `slice-append-only`, `slice-not-keyed`,
 * `slice-key-invalid`; {@link SchemaError} code `value-not-json`.
 */
export function applyOperation(slice: StoredSlice, before: SliceState, returned: unknown): AppliedOperation {
  if (typeof returned !== 'object' || returned === null) throw notAnOperation(slice, returned);
  // Operations are made by the methods of SliceItems; the tag says which.
  const operation = returned as SliceOperation<unknown>;
  switch (operation.op) {
    case 'append': {
      const item = admitItem(slice.name, operation.item);
      return { next: before.append(item, operation.moveToEnd), added: [item] };
    }
    case 'extend':
      return addItems(slice, before, operation.items);
    case 'replace':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      return addItems(slice, before.cleared(), operation.items);
    case 'clear':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      return { next: before.cleared(), added: none };
    case 'remove':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      if (!(before instanceof KeyedState)) throw notKeyed(slice);
      return { next: before.removed(operation.keys), added: none };
    case 'keep':
      return { next: before, added: none };
    default:
      throw notAnOperation(slice, returned);
  }
}

/** An error about a slice, which its message begins with. */
export function sliceError(code: SessionErrorCode, slice: string, problem: string): SessionError {
  return new SessionError(code, `Slice ${slice} ${problem}`, { details: { slice } });
}

export function appendOnly(slice: StoredSlice, attempted: string): SessionError {
  return sliceError(
    'slice-append-only',
    slice.name,
    `is LOG and only grows; ${attempted} cannot be done to it.`,
  );
}

/** For an operation or a look that needs keys. */
export function notKeyed(slice: StoredSlice): SessionError {
  return sliceError(
    'slice-not-keyed',
    slice.name,
    'has no keys. Declare it with a key function, or look its items up with where().',
  );
}

function addItems(slice: StoredSlice, before: SliceState, items: readonly unknown[]): AppliedOperation {
  const added: unknown[] = [];
  let next = before;
  for (const given of items) {
    const item = admitItem(slice.name, given);
    added.push(item);
    next = next.append(item);
  }
  return { next, added };
}

function notAnOperation(slice: StoredSlice, returned: unknown): SessionError {
  const what = returned === undefined ? 'nothing' : 'something that is not a slice operation';
  return new SessionError(
    'reducer-failed',
    `A reducer of slice ${slice.name} returned ${what}. Return what append, extend, replace, remove, clear or keep of its first parameter returns, not a promise.`,
    { details: { slice: slice.name } },
  );
}

/** Freezes an item on its way into a slice. Throws SchemaError `value-not-json`. */
export function admitItem(slice: string, item: unknown): unknown {
  if (item !== undefined) return freezeJson(item, `item of slice ${slice}`);
  throw new SchemaError('value-not-json', `An item of slice ${slice} is undefined. Use null for "nothing".`, {
    details: { slice },
  });
}
