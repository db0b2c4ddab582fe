import { SessionError } from '../../error/index.ts';
import { notKeyed } from '../slice/apply-operation.ts';
import type { DerivedSlice } from '../slice/derived-slice.ts';
import type { StoredSlice } from '../slice/slice.ts';
import { KeyedState, type SliceState } from '../slice/slice-state.ts';
import type { ReadonlySliceAccessor } from '../slice/view.ts';
import { type SessionState, sliceStateIn } from '../state/session-state.ts';
import { type ReadTarget, wholeSliceTarget } from './read-set.ts';

/** Where reading takes place: a session, a fork, or the items of a reducer. */
export interface ReadSource {
  /** The state to read. Throws when it may not be used any more. */
  state(): SessionState;
  /** Called with the target of every read. */
  onRead(target: ReadTarget): void;
}

/** Reads a stored slice; the only implementation there is, for sessions, forks and reducers. */
export class SliceReader implements ReadonlySliceAccessor<unknown> {
  readonly #source: ReadSource;
  readonly #slice: StoredSlice;

  constructor(source: ReadSource, slice: StoredSlice) {
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
    const state = sliceStateIn(this.#source.state(), this.#slice);
    if (!(state instanceof KeyedState)) throw notKeyed(this.#slice);
    this.#source.onRead({ kind: 'key', slice: this.#slice, key });
    return state.get(key);
  }

  #whole(): SliceState {
    const state = this.#source.state();
    this.#source.onRead(wholeSliceTarget(this.#slice));
    return sliceStateIn(state, this.#slice);
  }
}

/** Reads a derived slice, which reads its whole source. */
export class DerivedReader implements ReadonlySliceAccessor<unknown> {
  readonly #source: ReadSource;
  readonly #derived: DerivedSlice<unknown>;

  constructor(source: ReadSource, derived: DerivedSlice<unknown>) {
    this.#source = source;
    this.#derived = derived;
  }

  get length(): number {
    return this.all().length;
  }

  all(): readonly unknown[] {
    const state = this.#source.state();
    this.#source.onRead(wholeSliceTarget(this.#derived.source));
    return this.#derived['~project'](sliceStateIn(state, this.#derived.source));
  }

  latest(): unknown {
    return this.all().at(-1);
  }

  where(predicate: (item: unknown) => boolean): readonly unknown[] {
    return Object.freeze(this.all().filter((item) => predicate(item)));
  }

  get(_key: string): never {
    throw new SessionError(
      'slice-not-keyed',
      `Slice ${this.#derived.name} is derived and has no keys. Look its items up with where().`,
      {
        details: { slice: this.#derived.name },
      },
    );
  }
}

/** The reader that fits a slice, which is installed. */
export function readerOf(
  source: ReadSource,
  slice: StoredSlice | DerivedSlice<unknown>,
): ReadonlySliceAccessor<unknown> {
  return slice.kind === 'derived-slice' ? new DerivedReader(source, slice) : new SliceReader(source, slice);
}
