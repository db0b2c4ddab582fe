import { SessionError } from '../error/index.ts';
import type { Slice } from './slice/slice.ts';
import type { DerivedSlice, ReadonlySessionView, ReadonlySliceAccessor } from './slice/view.ts';

/**
 * A view of a session that can only be read, also by callers without a compiler: everything that writes throws a
 * {@link SessionError} `session-read-only`, and nothing that it holds leads to the session. One small object; a view of a
 * view is that view.
 */
export function readOnlyView(session: ReadonlySessionView): ReadOnlyView {
  return ReadOnlyView.of(session);
}

/** What {@link readOnlyView} makes. */
export class ReadOnlyView implements ReadonlySessionView {
  readonly id: string;
  readonly #session: ReadonlySessionView;

  constructor(session: ReadonlySessionView) {
    this.id = session.id;
    this.#session = session;
    Object.freeze(this);
  }

  static of(session: ReadonlySessionView): ReadOnlyView {
    return #session in session ? session : new ReadOnlyView(session);
  }

  slice<T>(slice: Slice<T> | DerivedSlice<T>): ReadonlySliceAccessor<T> {
    return new ReadOnlyAccessor(this.#session.slice(slice), slice.name);
  }

  get dispatcher(): never {
    throw refusal('Its dispatcher cannot be used');
  }

  dispatch(event?: { readonly name?: unknown }): never {
    throw refusal(`The event ${String(event?.name)} cannot be dispatched`);
  }

  install(): never {
    throw refusal('No slice can be installed');
  }

  restore(): never {
    throw refusal('No snapshot can be restored');
  }

  reset(): never {
    throw refusal('It cannot be reset');
  }

  importState(): never {
    throw refusal('No state can be imported');
  }
}

class ReadOnlyAccessor<T> implements ReadonlySliceAccessor<T> {
  readonly #slice: ReadonlySliceAccessor<T>;
  readonly #name: string;

  constructor(slice: ReadonlySliceAccessor<T>, name: string) {
    this.#slice = slice;
    this.#name = name;
    Object.freeze(this);
  }

  get length(): number {
    return this.#slice.length;
  }

  all(): ReturnType<ReadonlySliceAccessor<T>['all']> {
    return this.#slice.all();
  }

  latest(): ReturnType<ReadonlySliceAccessor<T>['latest']> {
    return this.#slice.latest();
  }

  where(
    predicate: Parameters<ReadonlySliceAccessor<T>['where']>[0],
  ): ReturnType<ReadonlySliceAccessor<T>['where']> {
    return this.#slice.where((item) => predicate(item));
  }

  get(key: string): ReturnType<ReadonlySliceAccessor<T>['get']> {
    return this.#slice.get(key);
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
    return refusal(`Slice ${this.#name} cannot be changed`);
  }
}

function refusal(what: string): SessionError {
  return new SessionError(
    'session-read-only',
    `The session can only be read here. ${what}; do that in a tool call, or with the session itself before the run.`,
  );
}
