/** Blocks all waiters until it is opened, and signals when all of them have arrived. */
export class Gate {
  readonly reached: Promise<void>;
  readonly #opened: Promise<void>;
  #missing: number;
  #tellReached: () => void = () => undefined;
  #open: () => void = () => undefined;

  constructor(visitors: number) {
    this.#missing = visitors;
    this.reached = new Promise((resolve) => {
      this.#tellReached = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  pass(): Promise<void> {
    this.#missing -= 1;
    if (this.#missing === 0) this.#tellReached();
    return this.#opened;
  }

  open(): void {
    this.#open();
  }
}
