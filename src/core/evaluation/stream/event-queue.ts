/** How many events may be queued before the run waits for the consumer. */
const maxWaiting = 16;

/** A queue between a run that emits events and a consumer with its own pace: in order, none lost. */
export class EventQueue<Event> {
  #waiting: Event[] = [];
  /** How many at the beginning of those that wait are taken. */
  #taken = 0;
  #isEnded = false;
  #takers: ((event: Event | undefined) => void)[] = [];
  #tellers: (() => void)[] = [];

  push(event: Event): void {
    if (this.#isEnded) return;
    const taker = this.#takers.shift();
    if (taker === undefined) this.#waiting.push(event);
    else taker(event);
  }

  /** Nothing comes any more; what waits can still be taken. */
  end(): void {
    this.#isEnded = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#wakeTellers();
  }

  /** Nothing comes any more, and nothing is to be taken. */
  dispose(): void {
    this.#waiting = [];
    this.#taken = 0;
    this.end();
  }

  /** What the run waits for when too much waits to be taken; undefined when it does not. */
  ready(): Promise<void> | undefined {
    if (this.#isEnded || this.#count < maxWaiting) return undefined;
    return new Promise((resolve) => this.#tellers.push(resolve));
  }

  /** The next event; undefined when there will be none. Who asks first gets the first. */
  async take(): Promise<Event | undefined> {
    if (this.#count > 0) return this.#takeFirst();
    if (this.#isEnded) return undefined;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  get #count(): number {
    return this.#waiting.length - this.#taken;
  }

  #takeFirst(): Event | undefined {
    const event = this.#waiting[this.#taken];
    this.#taken += 1;
    // Taking each away would move all others, and there may be very many.
    if (this.#taken * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    if (this.#count < maxWaiting) this.#wakeTellers();
    return event;
  }

  #wakeTellers(): void {
    for (const resume of this.#tellers.splice(0)) resume();
  }
}
