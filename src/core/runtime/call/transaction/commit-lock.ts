import { type RunStop, RunStoppedSignal } from '../../limits/run-stop.ts';

/**
 * Lets one at a time commit of the calls that evaluations make side by side inside one call. While a call holds it, no other
 * one changes what it has read, so that it has to be repeated once at most. First come, first served.
 */
export class CommitLock {
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  /**
   * Takes the lock: at once when it is free, else when it is released to the caller. Rejects with {@link RunStoppedSignal} when
   * `stop` stops before that.
   */
  acquire(stop: RunStop): undefined | Promise<void> {
    if (!this.#isHeld) {
      this.#isHeld = true;
      return undefined;
    }
    return new Promise<void>((resolve, reject) => {
      let unsubscribe = (): void => undefined;
      const take = (): void => {
        unsubscribe();
        resolve();
      };
      this.#waiting.push(take);
      unsubscribe = stop.onStop((reason) => {
        const place = this.#waiting.indexOf(take);
        if (place < 0) return;
        this.#waiting.splice(place, 1);
        reject(new RunStoppedSignal(reason));
      });
    });
  }

  /** Passes it to the longest waiter. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else next();
  }
}

/** The right of one call to commit. */
export class CommitTurn {
  readonly #lock: CommitLock;
  readonly #stop: RunStop;
  #isHeld = false;

  /** @param stop beyond its stop the turn is not waited for. */
  constructor(lock: CommitLock, stop: RunStop) {
    this.#lock = lock;
    this.#stop = stop;
  }

  /** Waits for the turn unless it has come, at most until the run stops: then there is nothing to commit but what was logged. Never rejects. */
  take(): undefined | Promise<void> {
    if (this.#isHeld) return undefined;
    const acquired = this.#lock.acquire(this.#stop);
    if (acquired === undefined) {
      this.#isHeld = true;
      return undefined;
    }
    return acquired.then(
      () => {
        this.#isHeld = true;
      },
      () => undefined,
    );
  }

  /** Ends the turn, if it has come. */
  dispose(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#lock.release();
  }
}
