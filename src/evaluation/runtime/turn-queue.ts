/** What a {@link TurnQueue} is made of. */
export interface TurnQueueOptions<Call, Outcome> {
  /** Runs one turn. One outcome for each call, in their order. */
  readonly run: (calls: readonly Call[]) => Promise<readonly Outcome[]>;
  /** Waits until calls that are being made one by one are all there. Must not reject. */
  readonly gather: () => Promise<void>;
}

/** A turn that calls may still join. */
interface OpenTurn<Call, Outcome> {
  readonly calls: Call[];
  readonly outcomes: Promise<readonly Outcome[]>;
}

/** Runs turns one after the other, in the order in which they came, and makes turns of calls that come one by one. */
export class TurnQueue<Call, Outcome> {
  readonly #options: TurnQueueOptions<Call, Outcome>;
  #end: Promise<unknown> = Promise.resolve();
  #unfinished = 0;
  #open: OpenTurn<Call, Outcome> | undefined;

  constructor(options: TurnQueueOptions<Call, Outcome>) {
    this.#options = options;
  }

  /** True while a turn runs or waits. */
  get isBusy(): boolean {
    return this.#unfinished > 0;
  }

  /** The calls of the turn that the next single call joins. */
  get gathered(): readonly Call[] {
    return this.#open?.calls ?? [];
  }

  /** Runs these calls as a turn of their own. */
  turn(calls: readonly Call[]): Promise<readonly Outcome[]> {
    // A call that comes later must not get in front of these.
    this.#open = undefined;
    return this.#enqueue(() => this.#options.run(calls));
  }

  /** Runs this call together with the others that come while nothing is run, or while what is before them is. */
  async join(call: Call): Promise<Outcome> {
    this.#open ??= this.#openTurn();
    const { calls, outcomes } = this.#open;
    const index = calls.push(call) - 1;
    const outcome = (await outcomes)[index];
    if (outcome === undefined) throw new RangeError('A call of a turn got no outcome.');
    return outcome;
  }

  /** Resolves when everything that was asked for is done. Never rejects. */
  async settled(): Promise<void> {
    while (this.isBusy) await this.#end;
  }

  #openTurn(): OpenTurn<Call, Outcome> {
    const calls: Call[] = [];
    const outcomes = this.#enqueue(async () => {
      await this.#options.gather();
      if (this.#open?.calls === calls) this.#open = undefined;
      return this.#options.run(calls);
    });
    return { calls, outcomes };
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    this.#unfinished += 1;
    const done = this.#end.then(work).finally(() => {
      this.#unfinished -= 1;
    });
    this.#end = done.catch(() => undefined);
    return done;
  }
}
