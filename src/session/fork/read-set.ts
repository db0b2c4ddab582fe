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

/** The look that sees a whole slice. */
export function wholeLook(slice: StoredSlice): Look {
  return { kind: slice.policy === 'log' ? 'log' : 'slice', slice };
}

/** What a look sees in a state. The values are immutable, so two looks that see the same object have seen no difference. */
function seen(look: Look, state: SessionState): unknown {
  const found = sliceStateIn(state, look.slice);
  if (look.kind !== 'key') return found;
  return found instanceof KeyedState ? found.get(look.key) : undefined;
}

/** Whether what was read is different in two states of a session. */
function hasChanged(read: Read, base: SessionState, present: SessionState): boolean {
  const looks = read.kind === 'restore' ? read.slices.map(wholeLook) : [lookOf(read)];
  return looks.some((look) => seen(look, base) !== seen(look, present));
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

function lookOf(read: Exclude<Read, { readonly kind: 'restore' }>): Look {
  return 'look' in read ? read.look : read;
}

function identify(look: Look): string {
  return look.kind === 'key' ? `key\0${look.slice.name}\0${look.key}` : `${look.kind}\0${look.slice.name}`;
}

/**
 * What one fork has read. A nested fork passes its reads on to the outer one at once: what they saw came, at least in part,
 * from the outer fork's own base.
 */
export class ReadSet implements Recorder {
  readonly #outer: Recorder | undefined;
  readonly #reads = new Map<string, Read>();
  /** In a nested fork: what own reducers saw when they accepted an event. */
  readonly #accepted = new Map<string, Read>();
  /** By name of a keyed slice: looks of its own reducers that do not count as reads yet. */
  readonly #insideLooks = new Map<string, Map<string, Look>>();

  constructor(outer: Recorder | undefined) {
    this.#outer = outer;
  }

  /** Grows whenever something new is read. */
  get size(): number {
    return this.#reads.size;
  }

  read(read: Read): void {
    this.#outer?.read(read);
    if (read.kind === 'restore') {
      this.#reads.set(read.kind, read);
      return;
    }
    const look = lookOf(read);
    this.#reads.set(`${read.kind}\0${identify(look)}`, read);
    if (look.kind === 'key') this.#countInsideLooks(look.slice.name);
  }

  accepted(look: Look, event: string): void {
    const id = identify(look);
    if (this.#outer !== undefined) {
      this.#outer.accepted(look, event);
      this.#accepted.set(id, { kind: 'acceptance', look, event });
    }
    const { name, keyed } = look.slice;
    if (!keyed) return;
    const looks = this.#insideLooks.get(name) ?? new Map<string, Look>();
    this.#insideLooks.set(name, looks.set(id, look));
  }

  /** The fork has ended without being applied to the outer one: what made events go through counts as read there. */
  endUnapplied(): void {
    for (const read of this.#accepted.values()) this.#outer?.read(read);
  }

  /** Names of what was read and is different in `present`; each once. Cost: the number of reads. */
  changes(base: SessionState, present: SessionState): readonly string[] {
    const changed = [...this.#reads.values()].filter((read) => hasChanged(read, base, present));
    return [...new Set(changed.map(describeRead))];
  }

  #countInsideLooks(slice: string): void {
    const looks = this.#insideLooks.get(slice);
    if (looks === undefined) return;
    this.#insideLooks.delete(slice);
    for (const look of looks.values()) this.read({ kind: 'reducer-items', look });
  }
}
