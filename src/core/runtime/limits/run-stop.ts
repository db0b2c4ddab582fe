import { type BudgetExceededError, DeadlineExceededError, RunRefusedError } from '../../error/index.ts';
import type { Deadline } from './deadline.ts';
import { followSignal } from './follow-signal.ts';

/** Why a run has to end before the model is done. */
export type StopReason =
  | { readonly kind: 'aborted'; readonly cause: unknown }
  /** For good, by someone who says it through the journal. */
  | { readonly kind: 'cancelled'; readonly cause: RunRefusedError }
  | { readonly kind: 'deadline'; readonly cause: DeadlineExceededError }
  | { readonly kind: 'budget'; readonly cause: BudgetExceededError }
  /** By its watchdog. */
  | { readonly kind: 'idle'; readonly cause: DOMException }
  | { readonly kind: 'interrupted'; readonly cause: unknown };

/** Rejection of {@link RunStop.race}: the run was stopped while something was awaited. */
export class RunStoppedSignal {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    this.reason = reason;
  }
}

/** The run around another one, and its deadline. */
interface OuterDeadline {
  readonly stop: RunStop;
  readonly deadline: Deadline | undefined;
}

/**
 * The single place where a run is stopped: the caller's abort signal and the deadline lead here, and everything
 * is in flight listens here. It stops at most once; the first reason stays.
 */
export class RunStop {
  readonly #outer: OuterDeadline | undefined;
  readonly #listeners = new Set<(reason: StopReason) => void>();
  /** Why the run was stopped; undefined while it runs. Set by {@link stop} only. */
  reason: StopReason | undefined;
  #controller: AbortController | undefined;

  /** `work`, or a rejection with {@link RunStoppedSignal} as soon as the run stops; `work` is then no longer awaited. Can be passed on as a function. */
  readonly race = <T>(work: PromiseLike<T>): Promise<T> => {
    const reason = this.reason;
    if (reason !== undefined) return Promise.race([work, Promise.reject(new RunStoppedSignal(reason))]);
    return new Promise<T>((resolve, reject) => {
      const giveUp = (stopped: StopReason): void => {
        // Let work that has already settled win.
        queueMicrotask(() => reject(new RunStoppedSignal(stopped)));
      };
      this.#listeners.add(giveUp);
      // A thenable may resolve with one that never settles, or throw.
      Promise.resolve(work).then(
        (result) => {
          this.#listeners.delete(giveUp);
          resolve(result);
        },
        (error: unknown) => {
          this.#listeners.delete(giveUp);
          reject(error);
        },
      );
    });
  };

  /** @param outer for a run inside a tool call: whose deadline it may share. Default: none. */
  constructor(outer?: OuterDeadline) {
    this.#outer = outer;
  }

  /** A signal that is aborted when the run stops, made on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason.cause);
    }
    return this.#controller.signal;
  }

  /** Stops the run. Later calls do nothing. */
  stop(reason: StopReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#controller?.abort(reason.cause);
    for (const listener of [...this.#listeners]) listener(reason);
    this.#listeners.clear();
  }

  /** Calls `listener` once when the run stops, at once if it has stopped. It must not throw. @returns an unsubscribe function. */
  onStop(listener: (reason: StopReason) => void): () => void {
    if (this.reason !== undefined) {
      listener(this.reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows a caller's signal, a deadline and the run around this one until the returned function is called. */
  follow(sources: {
    readonly signal?: AbortSignal | undefined;
    readonly deadline?: Deadline | undefined;
    readonly outer?: RunStop;
  }): () => void {
    const { signal, deadline, outer } = sources;
    const unsubscribe = outer?.onStop((reason) => this.stop(reason));
    const unfollow = signal && followSignal(signal, () => this.stop(stopBy(signal.reason)));
    const cancelTimer = deadline?.onExpiry(() => this.check(deadline));
    return () => {
      unsubscribe?.();
      unfollow?.();
      cancelTimer?.();
    };
  }

  /** Why the run has to end; undefined while it may continue. A deadline that has passed ends it, before its timer fires. */
  check(deadline: Deadline | undefined): StopReason | undefined {
    if (deadline?.isExpired() === true) {
      // A deadline that both share ends the outer run, and this one with it.
      if (deadline === this.#outer?.deadline) this.#outer.stop.check(deadline);
      this.stop({
        kind: 'deadline',
        cause: new DeadlineExceededError('The deadline passed before the run was finished.', {
          details: { expiresAtMs: deadline.expiresAtMs },
        }),
      });
    }
    return this.reason;
  }

  /** @throws {RunStoppedSignal} when the run has to end. */
  throwIfStopped(deadline?: Deadline): void {
    const reason = this.check(deadline);
    if (reason !== undefined) throw new RunStoppedSignal(reason);
  }
}

/** Why a run ends whose signal was aborted for this reason. */
function stopBy(reason: unknown): StopReason {
  const isCancel = RunRefusedError.isInstance(reason) && reason.code === 'run-cancelled';
  return isCancel ? { kind: 'cancelled', cause: reason } : { kind: 'aborted', cause: reason };
}
