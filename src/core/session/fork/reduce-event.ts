import { describeError, SessionError, TransactionClosedError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import { applyOperation, notKeyed } from '../slice/apply-operation.ts';
import type { DerivedSlice } from '../slice/derived-slice.ts';
import type { AppendOptions, SliceOperation } from '../slice/operation.ts';
import type { SliceItems } from '../slice/reducer.ts';
import type { Slice, StoredSlice } from '../slice/slice.ts';
import { KeyedState, type SliceState } from '../slice/slice-state.ts';
import type { ReadonlySessionView, ReadonlySliceAccessor } from '../slice/view.ts';
import type { LogAppend } from '../state/patch.ts';
import type { EventRoute, Registry } from '../state/registry.ts';
import { type SessionState, sliceStateIn, withSliceState } from '../state/session-state.ts';
import { type ReadRecorder, type ReadTarget, wholeSliceTarget } from './read-set.ts';
import { type ReadSource, readerOf } from './slice-reader.ts';

/** What an event does to a session. */
export interface Reduction {
  readonly next: SessionState;
  /** Items that went into LOG slices. */
  readonly log: readonly LogAppend[];
}

/** One event in its reducers: their arguments are usable while it runs, and what they read among their own items is kept. */
interface Run {
  readonly recorder: ReadRecorder | undefined;
  isOpen: boolean;
  targets: ReadTarget[] | undefined;
}

/**
 * Runs all reducers of an event on `state`: all of their operations, or none when one throws.
 * @param recorder records what the reducers read; undefined on a root session.
 * @throws {SessionError} code `reducer-failed`, the reducer's error as cause.
 */
export function reduceEvent(
  registry: Registry,
  sessionId: string,
  state: SessionState,
  route: EventRoute,
  payload: unknown,
  recorder: ReadRecorder | undefined,
): Reduction {
  const run: Run = { recorder, isOpen: true, targets: undefined };
  // The session as reducers see it: as it was before the event.
  const view: ReadonlySessionView = {
    id: sessionId,
    slice: (slice) => readerFor(run, registry, state, slice),
  };
  let next = state;
  let log: LogAppend[] | undefined;
  let current: StoredSlice | undefined;
  registry.isReducing = true;
  try {
    for (const { slice, reducers } of route.targets) {
      current = slice;
      for (const reduce of reducers) {
        const before = sliceStateIn(next, slice);
        const { next: after, added } = applyOperation(
          slice,
          before,
          reduce(new ReducerItems(slice, before, run), payload, view),
        );
        if (after !== before) next = withSliceState(next, slice, after);
        if (slice.policy === 'log' && added.length > 0)
          (log ??= []).push({ slice: slice.name, items: added });
      }
    }
  } catch (error) {
    for (const target of run.targets ?? none)
      recorder?.read({ kind: 'refusal', target, event: route.event.name });
    throw new SessionError(
      'reducer-failed',
      `A reducer of ${route.event.name} on slice ${current?.name} refused the event, so nothing was changed: ${describeError(error)}`,
      { cause: error, details: { event: route.event.name, slice: current?.name } },
    );
  } finally {
    registry.isReducing = false;
    run.isOpen = false;
  }
  if (run.targets !== undefined) {
    for (const target of run.targets) recorder?.accepted(target, route.event.name);
  }
  return { next, log: log ?? none };
}

function assertOpen(run: Run): void {
  if (!run.isOpen) {
    throw new TransactionClosedError('The arguments of a reducer can be used only while it runs.');
  }
}

function readerFor<T>(
  run: Run,
  registry: Registry,
  state: SessionState,
  slice: Slice<T> | DerivedSlice<T>,
): ReadonlySliceAccessor<T> {
  registry.assertInstalled(slice);
  const source: ReadSource = {
    state: () => {
      assertOpen(run);
      return state;
    },
    onRead: (target) => run.recorder?.read({ kind: 'reducer-view', target }),
  };
  // The items of a slice of T are of type T.
  return readerOf(source, slice) as ReadonlySliceAccessor<T>;
}

const unchanged: SliceOperation<unknown> = /* @__PURE__ */ Object.freeze({ op: 'keep' });

/** The items of a slice as its own reducer sees them, and what it can return. */
class ReducerItems implements SliceItems<unknown> {
  readonly #slice: StoredSlice;
  readonly #state: SliceState;
  readonly #run: Run;

  constructor(slice: StoredSlice, state: SliceState, run: Run) {
    this.#slice = slice;
    this.#state = state;
    this.#run = run;
  }

  get length(): number {
    return this.#whole().length;
  }

  at(index: number): unknown {
    return this.#whole().at(index);
  }

  latest(): unknown {
    return this.#whole().at(-1);
  }

  get(key: string): unknown {
    assertOpen(this.#run);
    if (!(this.#state instanceof KeyedState)) throw notKeyed(this.#slice);
    this.#recordRead({ kind: 'key', slice: this.#slice, key });
    return this.#state.get(key);
  }

  keyOf(item: unknown): string | undefined {
    assertOpen(this.#run);
    return this.#state instanceof KeyedState ? this.#state.keyOf(item) : undefined;
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.#whole().items();
  }

  append(item: unknown, options?: AppendOptions): SliceOperation<unknown> {
    return options?.moveToEnd === true ? { op: 'append', item, moveToEnd: true } : { op: 'append', item };
  }

  extend(items: readonly unknown[]): SliceOperation<unknown> {
    return { op: 'extend', items };
  }

  replace(items: readonly unknown[]): SliceOperation<unknown> {
    return { op: 'replace', items };
  }

  remove(...keys: readonly string[]): SliceOperation<unknown> {
    return { op: 'remove', keys };
  }

  clear(): SliceOperation<unknown> {
    return { op: 'clear' };
  }

  keep(): SliceOperation<unknown> {
    return unchanged;
  }

  #whole(): SliceState {
    assertOpen(this.#run);
    this.#recordRead(wholeSliceTarget(this.#slice));
    return this.#state;
  }

  #recordRead(target: ReadTarget): void {
    // A root session records no reads.
    if (this.#run.recorder === undefined) return;
    // What a LOG reducer reads ends up in items that are never computed again, so it counts at once.
    if (target.kind === 'log') this.#run.recorder.read(target);
    else (this.#run.targets ??= []).push(target);
  }
}
