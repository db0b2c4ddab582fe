import type { JsonValue } from '../../core/schema/index.ts';
import type { RecordedWrite, RowLog } from '../format/row-parts.ts';
import type { SliceRow } from '../format/rows.ts';
import type { RecordedCall, RecordedSlice } from './run-record.ts';

/** Something that changed state. */
interface StateStep {
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly RowLog[];
  /** Undefined: no call did. */
  readonly call: RecordedCall | undefined;
  /** The end of the run cut it off: it did not happen when the run is resumed. */
  readonly isCutOff?: boolean;
}

type Item = RecordedSlice['items'][number];

/** The items of a slice in their order: by their keys, or by numbers where they have none. */
type Items = ReadonlyMap<string | number, Item>;

type State = ReadonlyMap<string, Items>;

/** A state is kept for each so many commits, so that any other one is near. */
const commitsPerCheckpoint = 128;

/** The state of the slices after each commit. */
export class StateTimeline {
  readonly #slices = new Map<string, SliceRow>();
  /** What happened from one commit up to the next one; the first entry is what was there at the start. */
  readonly #steps: StateStep[][] = [[]];
  readonly #checkpoints = new Map<number, State>([[0, new Map()]]);
  /** How many items without a key there were. */
  #count = 0;
  #last: { readonly seq: number; readonly state: State } | undefined;

  declare(slice: SliceRow): void {
    this.#slices.set(slice.name, slice);
  }

  /** A commit: what comes after it belongs to its state. */
  commit(): void {
    this.#steps.push([]);
  }

  add(step: StateStep): void {
    this.#steps.at(-1)?.push(step);
    // The state that is kept for the last commit lacks this step.
    const seq = this.#steps.length - 1;
    if (this.#last?.seq === seq) this.#last = undefined;
  }

  /** The run is resumed: what its end had cut off did not happen. */
  takeBack(): void {
    const first = this.#steps.findIndex((steps) => steps.some(({ isCutOff }) => isCutOff === true));
    if (first < 0) return;
    for (let at = first; at < this.#steps.length; at += 1) {
      this.#steps[at] = (this.#steps[at] ?? []).filter(({ isCutOff }) => isCutOff !== true);
    }
    this.#last = undefined;
    for (const seq of [...this.#checkpoints.keys()]) if (seq > first) this.#checkpoints.delete(seq);
  }

  /** @param seq from 0; one beyond the last commit is the last one. */
  at(seq: number): readonly RecordedSlice[] {
    const state = this.#stateAt(Math.max(0, Math.min(Math.trunc(seq), this.#steps.length - 1)));
    return [...this.#slices.values()].map(({ name, policy, isKeyed }) => ({
      name,
      policy,
      isKeyed,
      items: [...(state.get(name)?.values() ?? [])],
    }));
  }

  #stateAt(seq: number): State {
    if (this.#last?.seq === seq) return this.#last.state;
    const checkpoint = Math.floor(seq / commitsPerCheckpoint) * commitsPerCheckpoint;
    const near = this.#nearest(checkpoint);
    const isLastNearer = this.#last !== undefined && this.#last.seq < seq && this.#last.seq > near.seq;
    const start = isLastNearer && this.#last !== undefined ? this.#last : near;
    const working = new WorkingState(start.state, this.#slices, () => {
      this.#count += 1;
      return this.#count;
    });
    // A checkpoint holds the state before what happened from its commit on.
    for (let at = start === near ? near.seq : start.seq + 1; at <= seq; at += 1) {
      if (at % commitsPerCheckpoint === 0 && !this.#checkpoints.has(at))
        this.#checkpoints.set(at, working.snapshot());
      for (const step of this.#steps[at] ?? []) working.apply(step);
    }
    const state = working.snapshot();
    this.#last = { seq, state };
    return state;
  }

  #nearest(seq: number): { readonly seq: number; readonly state: State } {
    for (let at = seq; at > 0; at -= commitsPerCheckpoint) {
      const state = this.#checkpoints.get(at);
      if (state !== undefined) return { seq: at, state };
    }
    return { seq: 0, state: new Map() };
  }
}

/** A state while steps are applied to it; items that a snapshot holds are copied before they change. */
class WorkingState {
  readonly #slices: ReadonlyMap<string, SliceRow>;
  readonly #lists: Map<string, Map<string | number, Item>>;
  readonly #own = new Set<string>();
  readonly #nextNumber: () => number;

  constructor(state: State, slices: ReadonlyMap<string, SliceRow>, nextNumber: () => number) {
    this.#slices = slices;
    this.#nextNumber = nextNumber;
    // None of them is its own yet, so none is changed.
    this.#lists = new Map(state as ReadonlyMap<string, Map<string | number, Item>>);
  }

  snapshot(): State {
    this.#own.clear();
    return new Map(this.#lists);
  }

  apply({ writes, log, call }: StateStep): void {
    const by = call === undefined ? {} : { writtenBy: call };
    let replaced: Replaced | undefined;
    for (const write of writes) {
      if (write.slice !== replaced?.slice) replaced = undefined;
      if (write.op === 'clear') replaced = this.#empty(write.slice);
      else
        applyWrite(
          this.#list(write.slice),
          write,
          (value) => replaced?.writerOf(value) ?? by,
          this.#nextNumber,
        );
    }
    for (const { slice, items } of log) {
      const list = this.#list(slice);
      for (const value of items) list.set(this.#nextNumber(), { value, ...by });
      const retain = this.#slices.get(slice)?.retain ?? Number.POSITIVE_INFINITY;
      for (const key of list.keys()) {
        if (list.size <= retain) break;
        list.delete(key);
      }
    }
  }

  #empty(slice: string): Replaced {
    const replaced = new Replaced(slice, [...(this.#lists.get(slice)?.values() ?? [])]);
    this.#own.add(slice);
    this.#lists.set(slice, new Map());
    return replaced;
  }

  #list(slice: string): Map<string | number, Item> {
    const known = this.#lists.get(slice) ?? new Map<string | number, Item>();
    if (this.#own.has(slice)) return known;
    const list = new Map(known);
    this.#own.add(slice);
    this.#lists.set(slice, list);
    return list;
  }
}

/** A slice that was emptied: what is put back unchanged was written by the call that wrote it before. */
class Replaced {
  readonly slice: string;
  readonly #items: readonly Item[];
  #byText: Map<string, Item> | undefined;

  constructor(slice: string, items: readonly Item[]) {
    this.slice = slice;
    this.#items = items;
  }

  /** Undefined: there was no such item. */
  writerOf(value: JsonValue): Written | undefined {
    this.#byText ??= new Map(this.#items.map((item) => [JSON.stringify(item.value), item]));
    const former = this.#byText.get(JSON.stringify(value));
    if (former === undefined) return undefined;
    return former.writtenBy === undefined ? {} : { writtenBy: former.writtenBy };
  }
}

type Written = Pick<Item, 'writtenBy'>;

function applyWrite(
  items: Map<string | number, Item>,
  write: Exclude<RecordedWrite, { readonly op: 'clear' }>,
  writerOf: (value: JsonValue) => Written,
  nextNumber: () => number,
): void {
  switch (write.op) {
    case 'append':
      for (const value of write.items) items.set(nextNumber(), { value, ...writerOf(value) });
      return;
    case 'put': {
      const { key, item: value } = write;
      if (write.toEnd === true) items.delete(key);
      items.set(key, { key, value, ...writerOf(value) });
      return;
    }
    case 'remove':
      for (const key of write.keys) items.delete(key);
  }
}
