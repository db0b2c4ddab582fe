import type { SliceWriting } from './slice-writer.ts';
import type { ReadonlySliceAccessor, SliceAccessor } from './view.ts';

/** A full accessor: one part reads, the other writes or refuses to. */
export class ReadingWritingAccessor implements SliceAccessor<unknown> {
  readonly #reader: ReadonlySliceAccessor<unknown>;
  readonly #writer: SliceWriting;

  constructor(reader: ReadonlySliceAccessor<unknown>, writer: SliceWriting) {
    this.#reader = reader;
    this.#writer = writer;
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
    this.#writer.append(...items);
  }

  seed(items: readonly unknown[]): void {
    this.#writer.seed(items);
  }

  clear(predicate?: (item: unknown) => boolean): void {
    this.#writer.clear(predicate);
  }
}
