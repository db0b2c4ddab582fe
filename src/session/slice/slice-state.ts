import { PersistentMap, PersistentVector } from '../../internal/index.ts';
import { sameJson } from '../../schema/index.ts';

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
  #retained: readonly unknown[] | undefined;

  private constructor(stored: PersistentVector<unknown>, retain: number) {
    this.#stored = stored;
    this.#retain = retain;
    this.#skipped = Math.max(0, stored.length - retain);
  }

  /** @param retain how many items to keep; default: all. */
  static empty(retain: number = Number.POSITIVE_INFINITY): SequenceState {
    return new SequenceState(PersistentVector.empty(), retain);
  }

  get length(): number {
    return this.#stored.length - this.#skipped;
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
    const stored =
      this.#skipped >= this.#retain ? PersistentVector.from([...this.all(), item]) : this.#stored.push(item);
    return new SequenceState(stored, this.#retain);
  }

  cleared(): SequenceState {
    return this.length === 0 ? this : SequenceState.empty(this.#retain);
  }

  /** The last `retain` of these items, in a state that keeps no more. */
  retaining(retain: number): SequenceState {
    return new SequenceState(PersistentVector.from(this.all().slice(-retain)), retain);
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
