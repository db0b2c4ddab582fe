/** What a {@link TurnQueue} is made of. */
export interface TurnQueueOptions<Call, Outcome> {
  /** Runs one turn. One outcome for each call, in their order. */
  readonly run: (calls: readonly Call[]) => Promise<readonly Outcome[]>;
  /** Waits until calls that are being made one by one are all there. Must not reject. */
  readonly gather: () => Promise<void>;
  /** Makes the check of the calls that are gathered to one turn. It is given each call once, and throws for one that may not join. */
  readonly createCheck: () => (call: Call) => void;
}

/** A turn that calls may still join. */
interface OpenTurn<Call, Outcome> {
  readonly calls: Call[];
  readonly check: (call: Call) => void;
  readonly outcomes: Promise<readonly Outcome[]>;
}

/**
 * Runs turns. Those that come as a whole run one after the other; calls that come one by one are gathered to a turn, which begins at once,
 * regardless of other turns.
 */
export class TurnQueue<Call, Outcome> {
  readonly #options: TurnQueueOptions<Call, Outcome>;
  readonly #unfinished = new Set<Promise<unknown>>();
  /** The end of the last turn that came as a whole. */
  #end: Promise<unknown> = Promise.resolve();
  #open: OpenTurn<Call, Outcome> | undefined;

  constructor(options: TurnQueueOptions<Call, Outcome>) {
    this.#options = options;
  }

  /** True while a turn runs or waits. */
  get isBusy(): boolean {
    return this.#unfinished.size > 0;
  }

  /** Runs these calls as a turn of their own, after those that came as a whole before. */
  turn(calls: readonly Call[]): Promise<readonly Outcome[]> {
    const outcomes = this.#end.then(() => this.#options.run(calls));
    this.#end = this.#track(outcomes);
    return outcomes;
  }

  /** Runs this call together with the others that come at the same time. Rejects with what the check of the turn throws. */
  async join(call: Call): Promise<Outcome> {
    const check = this.#open?.check ?? this.#options.createCheck();
    check(call);
    this.#open ??= this.#openTurn(check);
    const { calls, outcomes } = this.#open;
    const index = calls.push(call) - 1;
    const outcome = (await outcomes)[index];
    if (outcome === undefined) throw new RangeError('A call of a turn got no outcome.');
    return outcome;
  }

  /** Resolves when everything that was asked for is done. Never rejects. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#unfinished);
  }

  #openTurn(check: (call: Call) => void): OpenTurn<Call, Outcome> {
    const calls: Call[] = [];
    const outcomes = this.#options.gather().then(() => {
      this.#open = undefined;
      return this.#options.run(calls);
    });
    void this.#track(outcomes);
    return { calls, check, outcomes };
  }

  /** Counts a turn as unfinished until it has ended. @returns its end, which never rejects. */
  #track(outcomes: Promise<unknown>): Promise<unknown> {
    const ended: Promise<unknown> = outcomes.then(
      () => this.#unfinished.delete(ended),
      () => this.#unfinished.delete(ended),
    );
    this.#unfinished.add(ended);
    return ended;
  }
}
