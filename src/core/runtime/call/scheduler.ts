import type { RunStop } from '../limits/run-stop.ts';
import { CallRun } from './call-run.ts';
import type { CallCommits } from './commits.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import type { ToolCall, ToolCallResult } from './tool-call/tool-call.ts';
import type { Verdict } from './tool-call/verdict.ts';
import { CommitLock, CommitTurn } from './transaction/commit-lock.ts';

/** A call that was added to a {@link CallScheduler}. What waits for it resolves one of the `on…`. */
export interface ScheduledCall {
  readonly run: CallRun;
  /** Where it is committed or rolled back. */
  readonly commits: CallCommits;
  /** The right to commit. */
  readonly turn: CommitTurn;
  /** Whether it keeps that right from its start: a call that cannot be repeated, or joins what one call at a time may join, must find everything as it was when it is settled. */
  readonly keepsTurn: boolean;
  /** The call before it in its turn, which commits first; undefined for the first one. */
  readonly previous: ScheduledCall | undefined;
  state: 'added' | 'requested' | 'started' | 'done';
  /** The first attempt, once it was begun. */
  attempt: Promise<Verdict | undefined> | undefined;
  onStart: (() => void) | undefined;
  onDone: (() => void) | undefined;
}

/**
 * Runs calls so that the outcome is the one of running them one after the other, while calls that change nothing outside run at the
 * same time.
 *
 * - Calls start in the order in which they were added, at most `maxConcurrentCalls` at a time, repeated ones included. A call with effects
 *   outside starts only when every earlier call is committed or rolled back, and no later call starts before it is.
 * - When a resource is bound that joins one transaction at a time, a call starts only when every earlier one is committed or rolled back.
 * - Calls of one turn are settled (compared with the present state, repeated if need be, committed) in their order.
 * - A turn that is added while others run does not wait for them: its calls start at once, on forks of their own, and are settled when
 *   they have ended. So a loop that awaits each turn gets the order of the turns, and calls that arrive one by one the order of their ends.
 * - One call is settled at a time. Inside a call, where other evaluations may run beside this one, that holds across all of them.
 */
export class CallScheduler {
  readonly #environment: EvaluationEnvironment;
  readonly #commitLock: CommitLock;
  /** True when a resource of the prompt can join one transaction at a time only. */
  readonly #hasSerialResources: boolean;
  /** Those that are not done, in the order in which they were added: first the started ones, then the others. */
  readonly #calls: ScheduledCall[] = [];
  #started = 0;
  /** Attempts that run now. */
  #running = 0;
  /** Gives the call that is being settled the next place that becomes free. */
  #handPlaceToSettling: (() => void) | undefined;

  constructor(environment: EvaluationEnvironment) {
    this.#environment = environment;
    this.#commitLock = environment.outer?.commitLock ?? new CommitLock();
    this.#hasSerialResources = environment.roots.container.serialResources.length > 0;
  }

  /**
   * Adds the calls of one turn. None starts before it is requested by {@link run}.
   *
   * @param commits where they are committed or rolled back.
   * @param stops what each call follows, in the order of the calls. Default: what the run follows.
   */
  add(
    calls: readonly ToolCall[],
    commits: CallCommits,
    stops: readonly (RunStop | undefined)[] = [],
  ): readonly ScheduledCall[] {
    const turn: ScheduledCall[] = [];
    for (const [index, call] of calls.entries()) {
      const stop = stops[index];
      const run = new CallRun(this.#environment, call, stop);
      turn.push({
        run,
        keepsTurn: run.isBarrier || this.#hasSerialResources || this.#runsAlone(run),
        commits,
        turn: new CommitTurn(this.#commitLock, stop ?? this.#environment.stop),
        previous: turn[index - 1],
        state: 'added',
        attempt: undefined,
        onStart: undefined,
        onDone: undefined,
      });
    }
    this.#calls.push(...turn);
    // Before any of them begins: a budget holds for what was spent already.
    if (this.#environment.earlier?.innerPaid !== undefined) for (const { run } of turn) run.countPaid();
    if (turn.length > 1) this.#hintAtBarriers(turn);
    return turn;
  }

  #runsAlone({ call, tool }: CallRun): boolean {
    const { hooks, origin } = this.#environment;
    return hooks?.runsAlone?.(origin.evaluationId, call, tool?.reenters === true) === true;
  }

  /** Runs a call; resolves at its turn, with its result committed. Once for each call. */
  async run(call: ScheduledCall): Promise<ToolCallResult> {
    call.state = 'requested';
    this.#startWhatMay();
    if (call.attempt === undefined) {
      await new Promise<void>((resolve) => {
        call.onStart = resolve;
      });
    }
    const verdict = await call.attempt;
    const { previous } = call;
    if (previous !== undefined && previous.state !== 'done') {
      await new Promise<void>((resolve) => {
        previous.onDone = resolve;
      });
    }
    const turn = call.turn.take();
    if (turn !== undefined) await turn;
    try {
      if (!this.#calls.includes(call)) throw new RangeError('The turn of the call was abandoned.');
      const result = await call.run.settle(verdict, call.commits, this);
      this.done(call);
      return result;
    } finally {
      call.turn.dispose();
    }
  }

  /** The call is committed or rolled back, or its result was taken over. */
  done(call: ScheduledCall): void {
    this.#remove(call);
    call.onDone?.();
    this.#startWhatMay();
  }

  /** Undoes what calls did that were not settled: their turn cannot be finished. Never rejects. */
  async rollback(calls: readonly ScheduledCall[]): Promise<void> {
    const unsettled = calls.filter(({ state }) => state !== 'done').reverse();
    for (const call of unsettled) this.#remove(call);
    for (const { run, turn } of unsettled) {
      await run.rollback();
      turn.dispose();
    }
    // Calls of other turns may have waited for these.
    this.#startWhatMay();
  }

  #remove(call: ScheduledCall): void {
    if (call.state === 'started') this.#started -= 1;
    call.state = 'done';
    this.#calls.splice(this.#calls.indexOf(call), 1);
  }

  #startWhatMay(): void {
    for (;;) {
      const call = this.#calls[this.#started];
      if (call === undefined || call.state !== 'requested') return;
      if (this.#calls[0] !== call && !this.#mayStart(call)) return;
      this.#started += 1;
      this.#running += 1;
      call.state = 'started';
      call.attempt = this.#start(call);
      call.attempt.then(this.#leavePlace, this.#leavePlace);
      call.onStart?.();
    }
  }

  /** Whether a call may start while others before it are not done. */
  #mayStart(call: ScheduledCall): boolean {
    const [first] = this.#calls;
    const { maxConcurrentCalls } = this.#environment;
    if (maxConcurrentCalls === 1 || call.keepsTurn) return false;
    return this.#running < maxConcurrentCalls && first?.run.isBarrier !== true;
  }

  /** The first attempt at a call; rejects when it cannot even be begun. */
  async #start({ keepsTurn, run, turn }: ScheduledCall): Promise<Verdict | undefined> {
    if (keepsTurn) await turn.take();
    return run.start();
  }

  /**
   * Does `work` that may wait for a person, while other calls may be settled. Calls of its own turn wait anyway; one that
   * cannot be repeated keeps its turn, since everything must be as it was.
   */
  async outOfTurn<T>(run: CallRun, work: () => Promise<T>): Promise<T> {
    const call = this.#calls.find((each) => each.run === run);
    if (call === undefined || call.keepsTurn) return work();
    call.turn.dispose();
    try {
      return await work();
    } finally {
      await call.turn.take();
    }
  }

  /** Does `work` in one of the places for running calls. Only for the call that is being settled. */
  async inPlace<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#environment.maxConcurrentCalls) this.#running += 1;
    else {
      await new Promise<void>((resolve) => {
        this.#handPlaceToSettling = resolve;
      });
    }
    try {
      return await work();
    } finally {
      this.#leavePlace();
    }
  }

  readonly #leavePlace = (): void => {
    const hand = this.#handPlaceToSettling;
    if (hand === undefined) {
      this.#running -= 1;
      this.#startWhatMay();
      return;
    }
    this.#handPlaceToSettling = undefined;
    hand();
  };

  /** Says once per tool that its calls make the others of their turn wait. */
  #hintAtBarriers(calls: readonly ScheduledCall[]): void {
    const { maxConcurrentCalls, hintedTools, logger } = this.#environment;
    if (maxConcurrentCalls === 1) return;
    for (const { run } of calls) {
      const { tool } = run;
      if (!run.isBarrier || tool === undefined || hintedTools.has(tool)) continue;
      hintedTools.add(tool);
      logger.info(
        'A tool with effects "external" makes the other calls of its turn wait. Declare effects "read" or "state" if it changes nothing outside session, files and resources.',
        { tool: tool.name },
      );
    }
  }
}
