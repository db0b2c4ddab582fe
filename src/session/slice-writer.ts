import { SessionError } from '../error/index.ts';
import { appendOnly, applyOperation } from './apply-operation.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { SliceOperation } from './operation.ts';
import { sliceStateIn, withSliceState } from './session-state.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import type { Access } from './state-cell.ts';
import type { ReadonlySliceAccessor, SliceAccessor } from './view.ts';

export function readOnlyRefusal(what: string): SessionError {
  return new SessionError(
    'session-read-only',
    `${what} cannot be changed here: the tool is declared effects 'read'. Declare it 'state' or 'external', or write to a LOG slice.`,
  );
}

/** The writing part of an accessor. */
export type SliceWriting = Pick<SliceAccessor<unknown>, 'append' | 'seed' | 'clear'>;

/** Writes a stored slice; the only implementation there is, for sessions and forks. */
export class SliceWriter implements SliceWriting {
  readonly #access: Access;
  readonly #slice: StoredSlice;
  readonly #reader: ReadonlySliceAccessor<unknown>;

  constructor(access: Access, slice: StoredSlice, reader: ReadonlySliceAccessor<unknown>) {
    this.#access = access;
    this.#slice = slice;
    this.#reader = reader;
  }

  append(...items: readonly unknown[]): void {
    this.#assertWritable('append');
    if (items.length > 0) this.#write({ op: 'extend', items: this.#parse(items) });
  }

  seed(items: readonly unknown[]): void {
    this.#assertWritable('seed');
    this.#write({ op: 'replace', items: this.#parse(items) });
  }

  clear(predicate?: (item: unknown) => boolean): void {
    this.#assertWritable('clear');
    if (predicate === undefined) {
      this.#write({ op: 'clear' });
      return;
    }
    const items = this.#reader.all();
    const kept = items.filter((item) => !predicate(item));
    if (kept.length < items.length) this.#write({ op: 'replace', items: kept });
  }

  #assertWritable(attempted: string): void {
    this.#access.assertUsable('write');
    if (this.#slice.policy === 'log') {
      if (attempted !== 'append') throw appendOnly(this.#slice, attempted);
    } else if (this.#access.isReadOnly) {
      throw readOnlyRefusal(`Slice ${this.#slice.name}`);
    }
  }

  #parse(items: readonly unknown[]): readonly unknown[] {
    const { parse } = internalsOf(this.#slice);
    return Object.freeze(items.map((item) => parse(item)));
  }

  #write(operation: SliceOperation<unknown>): void {
    const { cell } = this.#access;
    const slice = this.#slice;
    const applied = applyOperation(slice, sliceStateIn(cell.current, slice), operation);
    const next = withSliceState(cell.current, slice, applied.next);
    if (slice.policy === 'log') cell.commit({ next, log: [{ slice: slice.name, items: applied.added }] });
    else cell.commit({ next, operations: [{ op: 'write', slice: slice.name, operation }] });
  }
}

/** Refuses to write a derived slice, for callers whose compiler does not. */
export function refuseWriting({ name, source }: DerivedSlice<unknown>): SliceWriting {
  const refuse = (): never => {
    throw new SessionError(
      'session-read-only',
      `Slice ${name} is derived from ${source.name}. Write to that.`,
      { details: { slice: name } },
    );
  };
  return { append: refuse, seed: refuse, clear: refuse };
}
