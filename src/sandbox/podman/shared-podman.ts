import type { PreparedPodman } from './prepared-podman.ts';

/** A connection that several users share: opened for the first, and disposed with the last. */
export class SharedPodman {
  readonly #open: (signal: AbortSignal | undefined) => Promise<PreparedPodman>;
  #current: Promise<PreparedPodman> | undefined;
  #users = 0;
  /** Settles when the one before has been disposed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: (signal: AbortSignal | undefined) => Promise<PreparedPodman>) {
    this.#open = open;
  }

  /**
   * The connection, for one more user.
   * @throws what opening it rejects with. @throws the signal's reason; the opening goes on while there are others who wait for it.
   */
  async use(signal: AbortSignal | undefined): Promise<PreparedPodman> {
    signal?.throwIfAborted();
    this.#users += 1;
    // Not with the signal of one user: others may wait for the same connection.
    this.#current ??= this.#last.then(() => this.#open(undefined));
    const current = this.#current;
    try {
      const { host } = await untilAborted(current, signal);
      let isReleased = false;
      const release = async (): Promise<void> => {
        if (isReleased) return;
        isReleased = true;
        await this.#release(current);
      };
      return { host, [Symbol.asyncDispose]: release };
    } catch (error) {
      await this.#release(current);
      throw error;
    }
  }

  async #release(used: Promise<PreparedPodman>): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0 || this.#current !== used) return;
    this.#current = undefined;
    const closing = used.then(
      (prepared) => prepared[Symbol.asyncDispose](),
      () => undefined,
    );
    this.#last = closing.catch(() => undefined);
    await closing;
  }
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    stopWaiting = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopWaiting();
  }
}
