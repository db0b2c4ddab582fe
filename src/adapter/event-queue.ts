/** How many events may wait before the run waits for whoever takes them. */
const maxWaiting = 16;

/** Events between a run that tells them and someone who takes them at their own pace, in order, none lost. */
export class EventQueue<Event> {
  #waiting: Event[] = [];
  #isEnded = false;
  #takers: (() => void)[] = [];
  #tellers: (() => void)[] = [];

  push(event: Event): void {
    if (this.#isEnded) return;
    this.#waiting.push(event);
    wake(this.#takers);
  }

  /** Nothing comes any more; what waits can still be taken. */
  end(): void {
    this.#isEnded = true;
    wake(this.#takers);
    wake(this.#tellers);
  }

  /** Nothing comes any more, and nothing is to be taken. */
  close(): void {
    this.#waiting = [];
    this.end();
  }

  /** What the run waits for when too much waits to be taken; undefined when it does not. */
  ready(): Promise<void> | undefined {
    if (this.#isEnded || this.#waiting.length < maxWaiting) return undefined;
    return new Promise((resolve) => this.#tellers.push(resolve));
  }

  /** The next event; undefined when there will be none. */
  async take(): Promise<Event | undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) {
        if (this.#waiting.length < maxWaiting) wake(this.#tellers);
        return event;
      }
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
  }
}

function wake(waiting: (() => void)[]): void {
  for (const resume of waiting.splice(0)) resume();
}
