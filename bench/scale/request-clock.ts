/** Takes down, for many conversations at once, where the time between two requests to a model goes. */
export class RequestClock {
  readonly #thinkMs: number;
  readonly #overheadsMs: number[] = [];
  readonly #latenessesMs: number[] = [];

  /** @param thinkMs how long the model takes for a turn */
  constructor(thinkMs: number) {
    this.#thinkMs = thinkMs;
  }

  /** One conversation: call the function it returns for each request; it resolves when the model has its answer. */
  follow(): () => Promise<void> {
    let answeredAtMs: number | undefined;
    return () => {
      const askedAtMs = performance.now();
      if (answeredAtMs !== undefined) this.#overheadsMs.push(askedAtMs - answeredAtMs);
      return new Promise((resolve) => {
        setTimeout(() => {
          answeredAtMs = performance.now();
          this.#latenessesMs.push(Math.max(0, answeredAtMs - askedAtMs - this.#thinkMs));
          resolve();
        }, this.#thinkMs);
      });
    };
  }

  /** From an answer to the next request of the same conversation, in ms: what the runtime takes for a step. */
  overheadMs(percent: number): number {
    return percentile(this.#overheadsMs, percent);
  }

  /** How much later than it was due a timer of the model fired, in ms: what a conversation waits for the others. */
  latenessMs(percent: number): number {
    return percentile(this.#latenessesMs, percent);
  }
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
