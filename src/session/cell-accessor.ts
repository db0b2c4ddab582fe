import type { DerivedSlice } from './derived-slice.ts';
import type { StoredSlice } from './slice.ts';
import { type ReadSource, readerOf } from './slice-reader.ts';
import { appendItems, clearItems, seedItems, writable } from './slice-writer.ts';
import type { Access } from './state-cell.ts';
import type { ReadonlySliceAccessor, SliceAccessor } from './view.ts';

/** A full accessor of a slice, which is installed: what reads is made when something is read. */
export class CellAccessor implements SliceAccessor<unknown> {
  readonly #access: Access;
  readonly #slice: StoredSlice | DerivedSlice<unknown>;
  #knownReader: ReadonlySliceAccessor<unknown> | undefined;

  constructor(access: Access, slice: StoredSlice | DerivedSlice<unknown>) {
    this.#access = access;
    this.#slice = slice;
  }

  get length(): number {
    return this.#reader().length;
  }

  all(): readonly unknown[] {
    return this.#reader().all();
  }

  latest(): unknown {
    return this.#reader().latest();
  }

  where(predicate: (item: unknown) => boolean): readonly unknown[] {
    return this.#reader().where(predicate);
  }

  get(key: string): unknown {
    return this.#reader().get(key);
  }

  append(...items: readonly unknown[]): void {
    appendItems(this.#access, writable(this.#slice), items);
  }

  seed(items: readonly unknown[]): void {
    seedItems(this.#access, writable(this.#slice), items);
  }

  clear(predicate?: (item: unknown) => boolean): void {
    clearItems(this.#access, writable(this.#slice), predicate, this);
  }

  #reader(): ReadonlySliceAccessor<unknown> {
    this.#knownReader ??= readerOf(sourceOf(this.#access), this.#slice);
    return this.#knownReader;
  }
}

function sourceOf({ cell, part }: Access): ReadSource {
  return {
    state: () => {
      cell.assertUsable('read', part);
      return cell.current;
    },
    look: (look) => cell.recorder?.read(look),
  };
}
