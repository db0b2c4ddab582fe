import type { RunStop } from '../limits/run-stop.ts';
import { CommitTurn } from './commit-lock.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { ToolCall } from './tool-call.ts';
import { type ToolCallResult, ToolCallRun } from './tool-call-run.ts';
import type { Verdict } from './verdict.ts';

/** One call of the turn and where it stands. Whoever waits for something of it has left word in one of the `on…`. */
interface Entry {
  readonly run: ToolCallRun;
  /** Inside a call: the right to commit there. */
  readonly turn: CommitTurn | undefined;
  state: 'waiting' | 'requested' | 'running' | 'ended';
  /** The first attempt, once it was begun. */
  attempt: Promise<Verdict | undefined> | undefined;
  isAnswered: boolean;
  onBegin: (() => void) | undefined;
  onHead: (() => void) | undefined;
  onAnswer: (() => void) | undefined;
}

/** What a {@link TurnScheduler} is made of beside its calls. */
export interface TurnSchedulerOptions {
  /** Takes the result of the call at `index`, which is at the head of the order. */
  readonly commit: (index: number, result: ToolCallResult) => ToolCallResult | Promise<ToolCallResult>;
  /** What each call follows, in the order of the calls. Default: what the run follows. */
  readonly stops?: readonly (RunStop | undefined)[];
}

/**
 * Runs the calls of one turn of the model so that the outcome is the one of running them one after the other in the
 * order of the turn, while calls that change nothing outside run at the same time.
 *
 * - Calls start in order, at most `concurrency` at a time, repeated ones included. A call with effects outside starts only when every
 *   earlier call is committed or rolled back, and no later call starts before it is.
 * - When a resource is bound that joins one transaction at a time, a call starts only when every earlier one is committed or rolled back.
 * - A call is settled (compared with the present state, repeated if need be, committed) when all earlier ones are.
 * - Inside a call, where other evaluations may run beside this one, calls are settled one at a time across all of them. One that runs alone
 *   in its turn has that right before it starts.
 *
 * `advance` says that the call at the head of the order is done with: its patch is on the state.
 */
export class TurnScheduler {
  readonly #entries: readonly Entry[];
  /** For each index, the index of the first barrier at or after it; undefined in a turn of one call. */
  readonly #nextBarrier: readonly number[] | undefined;
  readonly #isSerial: boolean;
  readonly #concurrency: number;
  readonly #commit: TurnSchedulerOptions['commit'];
  #position = 0;
  #nextToStart = 0;
  #running = 0;
  /** Gives the call at the head of the order the next place that becomes free. */
  #handPlaceToHead: (() => void) | undefined;

  constructor(
    environment: EvaluationEnvironment,
    calls: readonly ToolCall[],
    { commit, stops = [] }: TurnSchedulerOptions,
  ) {
    const { outer } = environment;
    this.#entries = calls.map((call, index) => ({
      run: new ToolCallRun(environment, call, stops[index]),
      turn:
        outer === undefined ? undefined : new CommitTurn(outer.commitLock, stops[index] ?? environment.stop),
      state: 'waiting',
      attempt: undefined,
      isAnswered: false,
      onBegin: undefined,
      onHead: undefined,
      onAnswer: undefined,
    }));
    this.#nextBarrier = calls.length > 1 ? barriersFrom(this.#entries) : undefined;
    this.#isSerial = isSerial(environment);
    this.#concurrency = isSerial(environment) ? 1 : environment.concurrency;
    this.#commit = commit;
    if (calls.length > 1) this.#hint(environment);
  }

  /** Index of the first call that is not done with. */
  get position(): number {
    return this.#position;
  }

  /** Runs the call at `index`; answers in the order of the calls, after its result was committed. Ask once for each call. */
  async run(index: number): Promise<ToolCallResult> {
    const entry = this.#entries[index];
    if (entry === undefined)
      throw new RangeError(`There is no call ${index} in this turn of ${this.#entries.length}.`);
    entry.state = 'requested';
    this.#startWhatMay();
    try {
      if (entry.attempt === undefined) {
        await new Promise<void>((resolve) => {
          entry.onBegin = resolve;
        });
      }
      const verdict = await entry.attempt;
      if (index > this.#position) {
        await new Promise<void>((resolve) => {
          entry.onHead = resolve;
        });
      }
      const turn = entry.turn?.take();
      if (turn !== undefined) await turn;
      return await entry.run.settle(
        verdict,
        (result) => this.#commit(index, result),
        (repeat) => this.#inPlace(repeat),
      );
    } finally {
      entry.turn?.end();
      // The one before may still be disposing what its attempt had built. One that nobody asked for has no answer.
      const previous = this.#entries[index - 1];
      if (previous !== undefined && previous.state !== 'waiting' && !previous.isAnswered) {
        await new Promise<void>((resolve) => {
          previous.onAnswer = resolve;
        });
      }
      entry.isAnswered = true;
      entry.onAnswer?.();
    }
  }

  /** The call at the head of the order is done with. */
  advance(): void {
    this.#position += 1;
    this.#nextToStart = Math.max(this.#nextToStart, this.#position);
    this.#entries[this.#position]?.onHead?.();
    this.#startWhatMay();
  }

  /** Undoes what calls did that have not come to their turn: the turn cannot be finished. Never rejects. */
  async abandon(): Promise<void> {
    for (const { run, turn } of this.#entries.slice(this.#position).reverse()) {
      await run.abandon();
      turn?.end();
    }
  }

  #startWhatMay(): void {
    for (;;) {
      const entry = this.#entries[this.#nextToStart];
      if (entry === undefined || entry.state !== 'requested' || !this.#mayStart(this.#nextToStart, entry))
        return;
      this.#nextToStart += 1;
      this.#running += 1;
      entry.state = 'running';
      entry.attempt = this.#beginning(entry);
      const end = (): void => {
        entry.state = 'ended';
        this.#giveUpPlace();
      };
      entry.attempt.then(end, end);
      entry.onBegin?.();
    }
  }

  /** The first attempt at a call; rejects when it cannot even be begun. */
  #beginning({ run, turn }: Entry): Promise<Verdict | undefined> {
    try {
      // One that cannot be repeated, or joins what one call at a time may join, must find everything as it was when it is settled.
      const waiting = run.isBarrier || this.#isSerial ? turn?.take() : undefined;
      return waiting === undefined ? run.start() : waiting.then(() => run.start());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Does `work` in one of the places for running calls. Only for the call at the head of the order. */
  async #inPlace<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#concurrency) this.#running += 1;
    else {
      await new Promise<void>((resolve) => {
        this.#handPlaceToHead = resolve;
      });
    }
    try {
      return await work();
    } finally {
      this.#giveUpPlace();
    }
  }

  #giveUpPlace(): void {
    const hand = this.#handPlaceToHead;
    if (hand === undefined) {
      this.#running -= 1;
      this.#startWhatMay();
      return;
    }
    this.#handPlaceToHead = undefined;
    hand();
  }

  /** Says once per tool that its calls make the others of their turn wait. */
  #hint({ logger, hintedTools }: EvaluationEnvironment): void {
    if (this.#concurrency === 1) return;
    for (const { run } of this.#entries) {
      const { tool } = run;
      if (!run.isBarrier || tool === undefined || hintedTools.has(tool)) continue;
      hintedTools.add(tool);
      logger.info(
        'A tool with effects "external" makes the other calls of its turn wait. Declare effects "read" or "state" if it changes nothing outside session, files and resources.',
        { tool: tool.name },
      );
    }
  }

  #mayStart(index: number, entry: Entry): boolean {
    const isHead = index === this.#position;
    if (this.#concurrency === 1 || this.#nextBarrier === undefined || entry.run.isBarrier) return isHead;
    return this.#running < this.#concurrency && (this.#nextBarrier[this.#position] ?? index) >= index;
  }
}

/** True when a resource of the prompt can join one transaction at a time only. */
function isSerial({ roots }: EvaluationEnvironment): boolean {
  return roots.container.serialResources.length > 0;
}

function barriersFrom(entries: readonly Entry[]): readonly number[] {
  const next: number[] = [];
  let barrier = entries.length;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    if (entries[index]?.run.isBarrier === true) barrier = index;
    next[index] = barrier;
  }
  return next;
}
