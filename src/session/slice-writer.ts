import { SessionError } from '../error/index.ts';
import { appendOnly, applyOperation } from './apply-operation.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { SliceOperation } from './operation.ts';
import { sliceStateIn, withSliceState } from './session-state.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import { type ReadSource, readerOf } from './slice-reader.ts';
import type { Access } from './state-cell.ts';
import type { ReadonlySliceAccessor, SliceAccessor } from './view.ts';

export function readOnlyRefusal(what: string): SessionError {
  return new SessionError(
    'session-read-only',
    `${what} cannot be changed here: the tool is declared effects 'read'. Declare it 'state' or 'external', or write to a LOG slice.`,
  );
}

/** Reads and writes a stored slice; the only implementation there is, for sessions and forks. */
export class SliceWriter implements SliceAccessor<unknown> {
  readonly #access: Access;
  readonly #slice: StoredSlice;
  readonly #reader: ReadonlySliceAccessor<unknown>;

  constructor(access: Access, source: ReadSource, slice: StoredSlice) {
    this.#access = access;
    this.#slice = slice;
    this.#reader = readerOf(source, slice);
  }

  get length(): number {
    return this.#reader.length;
  }

  all(): readonly unknown[] {
    return this.#reader.all();
  }

  latest(): unknown {
    return this.#reader.latest();
  }

  where(predicate: (item: unknown) => boolean): readonly unknown[] {
    return this.#reader.where(predicate);
  }

  get(key: string): unknown {
    return this.#reader.get(key);
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

/** A derived slice behind a full accessor: reading works, writing is refused. */
export class DerivedAccessor implements SliceAccessor<unknown> {
  readonly #derived: DerivedSlice<unknown>;
  readonly #reader: ReadonlySliceAccessor<unknown>;

  constructor(source: ReadSource, derived: DerivedSlice<unknown>) {
    this.#derived = derived;
    this.#reader = readerOf(source, derived);
  }

  get length(): number {
    return this.#reader.length;
  }

  all(): readonly unknown[] {
    return this.#reader.all();
  }

  latest(): unknown {
    return this.#reader.latest();
  }

  where(predicate: (item: unknown) => boolean): readonly unknown[] {
    return this.#reader.where(predicate);
  }

  get(key: string): unknown {
    return this.#reader.get(key);
  }

  append(): never {
    throw this.#refusal();
  }

  seed(): never {
    throw this.#refusal();
  }

  clear(): never {
    throw this.#refusal();
  }

  #refusal(): SessionError {
    const { name, source } = this.#derived;
    return new SessionError(
      'session-read-only',
      `Slice ${name} is derived from ${source.name}. Write to that.`,
      {
        details: { slice: name },
      },
    );
  }
}
