import { SessionError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import { internalsOf } from '../slice/define-slice.ts';
import {
  appendOnly,
  applyOperation,
  KeyedState,
  notKeyed,
  type SliceOperation,
  type SliceState,
  type StoredSlice,
  sliceError,
} from '../slice/slice.ts';
import type { DerivedSlice, ReadonlySliceAccessor, SliceAccessor } from '../slice/view.ts';
import { type Access, type SessionState, sliceStateIn, withSliceState } from '../state/cell.ts';
import { type ReadTarget, wholeSliceTarget } from '../state/read.ts';

/** Where reading takes place: a session, a fork, or the items of a reducer. */
export interface ReadSource {
  /** The state to read. Throws when it may not be used any more. */
  state(): SessionState;
  /** Called with the target of every read. */
  onRead(target: ReadTarget): void;
}

/** Reads a slice, or what is derived from one; the only implementation there is, for sessions, forks and reducers. */
export class SliceReader implements ReadonlySliceAccessor<unknown> {
  readonly #source: ReadSource;
  readonly #slice: StoredSlice | DerivedSlice<unknown>;

  constructor(source: ReadSource, slice: StoredSlice | DerivedSlice<unknown>) {
    this.#source = source;
    this.#slice = slice;
  }

  get length(): number {
    return this.#whole().length;
  }

  all(): readonly unknown[] {
    return this.#whole().all();
  }

  latest(): unknown {
    return this.#whole().at(-1);
  }

  where(predicate: (item: unknown) => boolean): readonly unknown[] {
    return Object.freeze(this.all().filter((item) => predicate(item)));
  }

  get(key: string): unknown {
    const slice = this.#slice;
    if (slice.kind === 'derived-slice')
      throw sliceError(
        'slice-not-keyed',
        slice.name,
        'is derived and has no keys. Look its items up with where().',
      );
    const state = sliceStateIn(this.#source.state(), slice);
    if (!(state instanceof KeyedState)) throw notKeyed(slice);
    this.#source.onRead({ kind: 'key', slice, key });
    return state.get(key);
  }

  /** A derived slice is a function of its whole source: reading it reads that. */
  #whole(): Pick<SliceState, 'length' | 'at' | 'all'> {
    const slice = this.#slice;
    const stored = slice.kind === 'derived-slice' ? slice.source : slice;
    const state = this.#source.state();
    this.#source.onRead(wholeSliceTarget(stored));
    const held = sliceStateIn(state, stored);
    if (slice.kind === 'slice') return held;
    const items = slice['~project'](held);
    return { length: items.length, at: (index) => items.at(index), all: () => items };
  }
}

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
    this.#knownReader ??= new SliceReader(sourceOf(this.#access), this.#slice);
    return this.#knownReader;
  }
}

function sourceOf({ cell, part }: Access): ReadSource {
  return {
    state: () => {
      cell.assertUsable('read', part);
      return cell.current;
    },
    onRead: (target) => cell.recorder?.read(target),
  };
}

export function readOnlyRefusal(what: string): SessionError {
  return new SessionError(
    'session-read-only',
    `${what} cannot be changed here: the tool is declared effects 'read'. Declare it 'state' or 'external', or write to a LOG slice.`,
  );
}

/** The same slice when it is stored; derived ones are refused, for callers whose compiler does not. */
function writable(slice: StoredSlice | DerivedSlice<unknown>): StoredSlice {
  if (slice.kind === 'slice') return slice;
  throw sliceError('session-read-only', slice.name, `is derived from ${slice.source.name}. Write to that.`);
}

function appendItems(access: Access, slice: StoredSlice, items: readonly unknown[]): void {
  assertWritable(access, slice, 'append');
  if (items.length > 0) write(access, slice, { op: 'extend', items: parseItems(slice, items) });
}

function seedItems(access: Access, slice: StoredSlice, items: readonly unknown[]): void {
  assertWritable(access, slice, 'seed');
  write(access, slice, { op: 'replace', items: parseItems(slice, items) });
}

function clearItems(
  access: Access,
  slice: StoredSlice,
  predicate: ((item: unknown) => boolean) | undefined,
  reader: ReadonlySliceAccessor<unknown>,
): void {
  assertWritable(access, slice, 'clear');
  if (predicate === undefined) {
    write(access, slice, { op: 'clear' });
    return;
  }
  const items = reader.all();
  const kept = items.filter((item) => !predicate(item));
  if (kept.length < items.length) write(access, slice, { op: 'replace', items: kept });
}

function assertWritable({ cell, part, isReadOnly }: Access, slice: StoredSlice, attempted: string): void {
  cell.assertUsable('write', part);
  if (slice.policy === 'log') {
    if (attempted !== 'append') throw appendOnly(slice, attempted);
  } else if (isReadOnly) {
    throw readOnlyRefusal(`Slice ${slice.name}`);
  }
}

function parseItems(slice: StoredSlice, items: readonly unknown[]): readonly unknown[] {
  const { parse } = internalsOf(slice);
  const parsed: unknown[] = [];
  for (const item of items) parsed.push(parse(item));
  return Object.freeze(parsed);
}

function write({ cell }: Access, slice: StoredSlice, operation: SliceOperation<unknown>): void {
  const applied = applyOperation(slice, sliceStateIn(cell.current, slice), operation);
  const next = withSliceState(cell.current, slice, applied.next);
  if (slice.policy === 'log')
    cell.commit(next, undefined, [{ slice: slice.name, items: applied.added }], undefined);
  else cell.commit(next, { op: 'write', slice: slice.name, operation }, none, undefined);
}
