import { none } from '../../internal/index.ts';
import type { StoredSlice } from '../slice/slice.ts';
import { KeyedState } from '../slice/slice-state.ts';
import { type SessionState, sliceStateIn } from '../state/session-state.ts';

/** A look at stored items: a whole STATE slice, a whole LOG slice, or one key of a keyed slice (also an absent key). */
export type Look =
  | { readonly kind: 'slice'; readonly slice: StoredSlice }
  | { readonly kind: 'log'; readonly slice: StoredSlice }
  | { readonly kind: 'key'; readonly slice: StoredSlice; readonly key: string };

/**
 * Something that the outcome or the text of a tool call could depend on.
 *
 * - `reducer-view`: what a reducer looked at through its session view.
 * - `reducer-items`: what the own reducers of a keyed slice looked at, once the call has read a key of that slice.
 * - `refusal`: what the reducers of an event had looked at among their own items when one of them refused.
 * - `acceptance`: what they had looked at when all of them accepted, in a nested call that was not applied: an applied one
 *   shows by replaying its events whether they are still accepted.
 * - `restore`: every STATE slice that a restore replaced.
 */
export type Read =
  | Look
  | { readonly kind: 'reducer-view'; readonly look: Look }
  | { readonly kind: 'reducer-items'; readonly look: Look }
  | { readonly kind: 'refusal'; readonly look: Look; readonly event: string }
  | { readonly kind: 'acceptance'; readonly look: Look; readonly event: string }
  | { readonly kind: 'restore'; readonly slices: readonly StoredSlice[] };

/** Hears what a tool call looks at. A root session has none. */
export interface Recorder {
  /** Something that was seen. */
  read(read: Read): void;
  /**
   * Something that the own reducers of a slice saw when they accepted an event. No read yet, since replaying the event sees
   * it anew; it becomes one when the call reads a key of that slice, or when a nested call is not applied.
   */
  accepted(look: Look, event: string): void;
}

/** Every kind of read there is. */
export const readKinds: readonly Read['kind'][] = Object.freeze([
  'slice',
  'log',
  'key',
  'reducer-view',
  'reducer-items',
  'refusal',
  'acceptance',
  'restore',
]);

/** Says whether what was read is different in two states of a session. */
export type Comparison<R extends Read> = (read: R, base: SessionState, present: SessionState) => boolean;

function wholeChanged(slice: StoredSlice, base: SessionState, present: SessionState): boolean {
  return sliceStateIn(base, slice) !== sliceStateIn(present, slice);
}

function itemAt(state: SessionState, slice: StoredSlice, key: string): unknown {
  const found = sliceStateIn(state, slice);
  return found instanceof KeyedState ? found.get(key) : undefined;
}

function lookChanged(look: Look, base: SessionState, present: SessionState): boolean {
  return look.kind === 'key'
    ? itemAt(base, look.slice, look.key) !== itemAt(present, look.slice, look.key)
    : wholeChanged(look.slice, base, present);
}

/** How each kind of read is compared. A table, so that a test can show each kind to be needed by switching it off. */
export const comparisons: { readonly [Kind in Read['kind']]: Comparison<Extract<Read, { kind: Kind }>> } = {
  slice: lookChanged,
  log: lookChanged,
  key: lookChanged,
  'reducer-view': ({ look }, base, present) => lookChanged(look, base, present),
  'reducer-items': ({ look }, base, present) => lookChanged(look, base, present),
  refusal: ({ look }, base, present) => lookChanged(look, base, present),
  acceptance: ({ look }, base, present) => lookChanged(look, base, present),
  restore: ({ slices }, base, present) => slices.some((slice) => wholeChanged(slice, base, present)),
};

function hasChanged(read: Read, base: SessionState, present: SessionState): boolean {
  switch (read.kind) {
    case 'slice':
      return comparisons.slice(read, base, present);
    case 'log':
      return comparisons.log(read, base, present);
    case 'key':
      return comparisons.key(read, base, present);
    case 'reducer-view':
      return comparisons['reducer-view'](read, base, present);
    case 'reducer-items':
      return comparisons['reducer-items'](read, base, present);
    case 'refusal':
      return comparisons.refusal(read, base, present);
    case 'acceptance':
      return comparisons.acceptance(read, base, present);
    case 'restore':
      return comparisons.restore(read, base, present);
  }
}

function describeLook(look: Look): string {
  return look.kind === 'key'
    ? `key ${look.key} of slice ${look.slice.name}`
    : `${look.kind} ${look.slice.name}`;
}

function describeRead(read: Read): string {
  switch (read.kind) {
    case 'reducer-view':
    case 'reducer-items':
      return `${describeLook(read.look)} (looked at by a reducer)`;
    case 'refusal':
      return `${describeLook(read.look)} (made a reducer of ${read.event} refuse)`;
    case 'acceptance':
      return `${describeLook(read.look)} (made the reducers of ${read.event} accept)`;
    case 'restore':
      return 'the slices put back by a restore';
    default:
      return describeLook(read);
  }
}

function lookOf(read: Read): Look | undefined {
  if (read.kind === 'restore') return undefined;
  return 'look' in read ? read.look : read;
}

function identify(look: Look): string {
  return look.kind === 'key' ? `key\0${look.slice.name}\0${look.key}` : `${look.kind}\0${look.slice.name}`;
}

/**
 * What one fork has read. Reads of a nested fork are told to the outer one at once: what they saw came, at least in
 * part, from the outer fork's own base.
 */
export class ReadSet implements Recorder {
  readonly #outer: Recorder | undefined;
  #reads: Map<string, Read> | undefined;
  /** In a nested fork: what own reducers saw when they accepted an event. */
  #accepted: Map<string, Read> | undefined;
  /** By name of a keyed slice: looks of own reducers that are no reads yet. */
  #insideLooks: Map<string, Map<string, Look>> | undefined;

  constructor(outer: Recorder | undefined) {
    this.#outer = outer;
  }

  /** Grows whenever something new is read. */
  get size(): number {
    return this.#reads?.size ?? 0;
  }

  read(read: Read): void {
    this.#outer?.read(read);
    const look = lookOf(read);
    this.#reads ??= new Map();
    this.#reads.set(look === undefined ? read.kind : `${read.kind}\0${identify(look)}`, read);
    if (look?.kind === 'key') this.#turnInsideLooksIntoReads(look.slice.name);
  }

  accepted(look: Look, event: string): void {
    const id = identify(look);
    if (this.#outer !== undefined) {
      this.#outer.accepted(look, event);
      this.#accepted ??= new Map();
      this.#accepted.set(id, { kind: 'acceptance', look, event });
    }
    const { name, keyed } = look.slice;
    if (!keyed) return;
    this.#insideLooks ??= new Map();
    const known = this.#insideLooks.get(name);
    if (known === undefined) this.#insideLooks.set(name, new Map([[id, look]]));
    else known.set(id, look);
  }

  /** The fork has ended without being applied to the outer one: what made events go through counts as read there. */
  endUnapplied(): void {
    if (this.#accepted === undefined) return;
    for (const read of this.#accepted.values()) this.#outer?.read(read);
  }

  /** Names of what was read and is different in `present`; each once. Cost: the number of reads. */
  changes(base: SessionState, present: SessionState): readonly string[] {
    if (this.#reads === undefined) return none;
    const names = new Set<string>();
    for (const read of this.#reads.values()) {
      if (hasChanged(read, base, present)) names.add(describeRead(read));
    }
    return [...names];
  }

  #turnInsideLooksIntoReads(slice: string): void {
    const looks = this.#insideLooks?.get(slice);
    if (looks === undefined) return;
    this.#insideLooks?.delete(slice);
    this.#reads ??= new Map();
    for (const look of looks.values())
      this.#reads.set(`reducer-items\0${identify(look)}`, { kind: 'reducer-items', look });
  }
}
