import { none } from '../../internal/index.ts';
import { KeyedState } from '../slice/slice.ts';
import { type Registry, type SessionState, sliceStateIn } from '../state/cell.ts';
import {
  type Read,
  type ReadRecorder,
  type ReadTarget,
  type SessionRead,
  wholeSliceTarget,
} from '../state/read.ts';

/** The value of a target in a state. The values are immutable, so identical objects mean no difference. */
function valueOf(target: ReadTarget, state: SessionState): unknown {
  const found = sliceStateIn(state, target.slice);
  if (target.kind !== 'key') return found;
  return found instanceof KeyedState ? found.get(target.key) : undefined;
}

/** Whether the value of a read differs between two states of a session. */
function hasChanged(read: Read, base: SessionState, present: SessionState): boolean {
  const targets = read.kind === 'restore' ? read.slices.map(wholeSliceTarget) : [targetOf(read)];
  return targets.some((target) => valueOf(target, base) !== valueOf(target, present));
}

function describeTarget(target: ReadTarget): string {
  return target.kind === 'key'
    ? `key ${target.key} of slice ${target.slice.name}`
    : `${target.kind} ${target.slice.name}`;
}

function describeRead(read: Read): string {
  switch (read.kind) {
    case 'reducer-view':
    case 'reducer-items':
      return `${describeTarget(read.target)} (read by a reducer)`;
    case 'refusal':
      return `${describeTarget(read.target)} (made a reducer of ${read.event} refuse)`;
    case 'acceptance':
      return `${describeTarget(read.target)} (made the reducers of ${read.event} accept)`;
    case 'restore':
      return 'the slices put back by a restore';
    default:
      return describeTarget(read);
  }
}

function observedRead(read: Read): SessionRead {
  const what = describeRead(read);
  if (read.kind === 'restore') return { kind: 'restore', what };
  const target = targetOf(read);
  const { kind } = target;
  const slice = target.slice.name;
  return target.kind === 'key' ? { kind, what, slice, key: target.key } : { kind, what, slice };
}

/**
 * What a read finds in a state, as JSON: the same text when it finds the same. Of a LOG slice the number of items: it only grows, and what the library
 * records has ids that differ when a run is resumed.
 */
function resultOf(read: Read, state: SessionState): string {
  const targets = read.kind === 'restore' ? read.slices.map(wholeSliceTarget) : [targetOf(read)];
  return JSON.stringify(targets.map((target) => targetResult(target, state)));
}

function targetResult(target: ReadTarget, state: SessionState): unknown {
  if (target.kind === 'key') return valueOf(target, state) ?? null;
  const found = sliceStateIn(state, target.slice);
  return target.kind === 'log' ? found.length : found.all();
}

/** The reads that a read of another fork covers; undefined when a slice is not installed any more. */
function readAgain({ kind, slice: name, key }: SessionRead, registry: Registry): Read | undefined {
  if (kind === 'restore') return { kind, slices: registry.restorableSlices() };
  const slice = name === undefined ? undefined : registry.find(name);
  if (slice === undefined) return undefined;
  if (kind !== 'key') return { kind, slice };
  return key === undefined ? undefined : { kind, slice, key };
}

function targetOf(read: Exclude<Read, { readonly kind: 'restore' }>): ReadTarget {
  return 'target' in read ? read.target : read;
}

function identify(target: ReadTarget): string {
  return target.kind === 'key'
    ? `key\0${target.slice.name}\0${target.key}`
    : `${target.kind}\0${target.slice.name}`;
}

/**
 * What one fork has read. A nested fork passes its reads on to the outer one at once: what they saw came, at least in part,
 * from the outer fork's own base.
 */
export class ReadSet implements ReadRecorder {
  readonly #outer: ReadRecorder | undefined;
  #reads: Map<string, Read> | undefined;
  /** In a nested fork: what own reducers read when they accepted an event. */
  #accepted: Map<string, Read> | undefined;
  /** By name of a keyed slice: what its own reducers read and what does not count as a read yet. */
  #reducerReads: Map<string, Map<string, ReadTarget>> | undefined;

  constructor(outer: ReadRecorder | undefined) {
    this.#outer = outer;
  }

  /**
   * Every read, as observers get it.
   *
   * @param base the state that the fork began with, for the results of the reads; undefined: they have none.
   */
  observe(base?: SessionState): readonly SessionRead[] {
    return [...this.#all()].map((read) =>
      base === undefined ? observedRead(read) : { ...observedRead(read), result: resultOf(read, base) },
    );
  }

  /** Does a read of another fork again. @returns its result; undefined when it cannot be done. */
  readAgain(observed: SessionRead, registry: Registry, state: SessionState): string | undefined {
    const read = readAgain(observed, registry);
    if (read === undefined) return undefined;
    this.read(read);
    return resultOf(read, state);
  }

  /** Grows whenever something new is read. */
  get size(): number {
    return this.#reads?.size ?? 0;
  }

  read(read: Read): void {
    this.#outer?.read(read);
    this.#reads ??= new Map();
    if (read.kind === 'restore') {
      this.#reads.set(read.kind, read);
      return;
    }
    const target = targetOf(read);
    this.#reads.set(`${read.kind}\0${identify(target)}`, read);
    if (target.kind === 'key') this.#countReducerReads(target.slice.name);
  }

  accepted(target: ReadTarget, event: string): void {
    const id = identify(target);
    if (this.#outer !== undefined) {
      this.#outer.accepted(target, event);
      (this.#accepted ??= new Map()).set(id, { kind: 'acceptance', target, event });
    }
    const { name, keyed } = target.slice;
    if (!keyed) return;
    this.#reducerReads ??= new Map();
    const targets = this.#reducerReads.get(name) ?? new Map<string, ReadTarget>();
    this.#reducerReads.set(name, targets.set(id, target));
  }

  /** For a fork that ended without being applied to the outer one: what made its events acceptable counts as read there. */
  recordUnapplied(): void {
    for (const read of this.#accepted?.values() ?? none) this.#outer?.read(read);
  }

  /** Names of what was read and is different in `present`; each once. Cost: the number of reads. */
  changes(base: SessionState, present: SessionState): readonly string[] {
    if (this.#reads === undefined) return none;
    const changed = [...this.#all()].filter((read) => hasChanged(read, base, present));
    return [...new Set(changed.map(describeRead))];
  }

  #all(): Iterable<Read> {
    return this.#reads?.values() ?? none;
  }

  #countReducerReads(slice: string): void {
    const targets = this.#reducerReads?.get(slice);
    if (targets === undefined) return;
    this.#reducerReads?.delete(slice);
    for (const target of targets.values()) this.read({ kind: 'reducer-items', target });
  }
}
