import { untilAborted } from '../../../core/internal/index.ts';
import type { PreparedPodman } from './prepared-podman.ts';

/** A connection that is open, or being opened. */
interface Opened {
  readonly prepared: Promise<PreparedPodman>;
  /** Ends the opening. */
  readonly controller: AbortController;
}

/** A connection that several users share: opened for the first, and disposed with the last. */
export class SharedPodman {
  readonly #open: (signal: AbortSignal) => Promise<PreparedPodman>;
  #current: Opened | undefined;
  #users = 0;
  /** Settles when the one before has been disposed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: (signal: AbortSignal) => Promise<PreparedPodman>) {
    this.#open = open;
  }

  /**
   * The connection, for one more user.
   * @throws what opening it rejects with. @throws the signal's reason; the opening continues while there are others who wait for it.
   */
  async use(signal: AbortSignal | undefined): Promise<PreparedPodman> {
    signal?.throwIfAborted();
    this.#users += 1;
    this.#current ??= this.#start();
    const current = this.#current;
    try {
      const { host } = await untilAborted(current.prepared, signal);
      let isReleased = false;
      const release = async (): Promise<void> => {
        if (isReleased) return;
        isReleased = true;
        await this.#release(current, undefined);
      };
      return { host, [Symbol.asyncDispose]: release };
    } catch (error) {
      await this.#release(current, error);
      throw error;
    }
  }

  #start(): Opened {
    // Not with the signal of one user: others may wait for the same connection.
    const controller = new AbortController();
    return { prepared: this.#last.then(() => this.#open(controller.signal)), controller };
  }

  async #release(used: Opened, reason: unknown): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0 || this.#current !== used) return;
    this.#current = undefined;
    // Where it is still being opened, the last one that waited for it does not any more.
    used.controller.abort(reason);
    const closing = used.prepared.then(
      (prepared) => prepared[Symbol.asyncDispose](),
      () => undefined,
    );
    this.#last = closing.catch(() => undefined);
    await closing;
  }
}
