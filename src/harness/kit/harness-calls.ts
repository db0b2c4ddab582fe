import { TransactionClosedError } from '../../core/error/index.ts';
import {
  type EndedTurn,
  GatheredCalls,
  type PendingCall,
  type ToolRuntimeCall,
  type ToolRuntimeCallOptions,
  type ToolRuntimeOutput,
  toCallPart,
} from '../../core/evaluation/index.ts';
import { untilAborted } from '../../core/internal/index.ts';
import { RepeatedFailures, type ToolCallPart, type TurnLedger } from '../../core/runtime/index.ts';
import type { HarnessTurn } from './harness-turn.ts';
import type { HarnessTurns } from './harness-turns.ts';

/** What {@link HarnessCalls} work with. */
export interface HarnessCallsOptions {
  readonly ledger: TurnLedger;
  readonly turns: HarnessTurns;
  /** Whether the harness reports its turns: a call then waits for the report of its turn. */
  readonly reportsTurns: boolean;
  readonly maxRepeatedFailures: number;
  /** Ends the run with this error. */
  readonly fail: (error: unknown) => void;
}

const ignore = (): void => undefined;

/** The calls that the model of a harness makes: those that come together are gathered, and all run through the pipeline of every call. */
export class HarnessCalls {
  readonly #options: HarnessCallsOptions;
  readonly #gathered: GatheredCalls;
  readonly #failures: RepeatedFailures;
  readonly #turnOf = new WeakMap<ToolCallPart, HarnessTurn>();
  /** Ends the calls that run. */
  #end = new AbortController();
  #isClosed = false;
  /** Calls that are not the model's, so far. */
  #own = 0;

  constructor(options: HarnessCallsOptions) {
    const { fail, ledger, maxRepeatedFailures } = options;
    this.#options = options;
    this.#failures = new RepeatedFailures(maxRepeatedFailures);
    this.#gathered = new GatheredCalls({
      ledger,
      turnOf: ([first]) => this.#turnOfCall(first)?.number ?? ledger.state.turn,
      onEnd: (ended) => this.#ended(ended),
      inTurn: async (work) => {
        try {
          return await work();
        } catch (error) {
          fail(error);
          throw error;
        }
      },
    });
  }

  /**
   * Runs a call.
   *
   * @throws {PromptEvaluationError} what the run ends with, or that the call was aborted by its signal.
   * @throws {TransactionClosedError} when the run has ended.
   */
  async run(call: ToolRuntimeCall, { signal }: ToolRuntimeCallOptions): Promise<ToolRuntimeOutput> {
    if (this.#isClosed) throw new TransactionClosedError('The run of the harness has ended.');
    const own = signal === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, signal]);
    const turn = await this.#reportedTurn(call, own);
    const part = turn.arrive(toCallPart(call));
    this.#turnOf.set(part, turn);
    const output = await this.#gathered.join({ part, signal: own });
    // The harness knows the call under the id that it gave.
    return { ...output, callId: call.callId };
  }

  /** Runs a call that is not the model's: it is in events and records, and not in the conversation. */
  async runOwn(name: string): Promise<ToolRuntimeOutput> {
    this.#own += 1;
    const part: ToolCallPart = { type: 'tool-call', callId: `${name}-${this.#own}`, name, arguments: '{}' };
    return this.#gathered.join({ part, signal: undefined });
  }

  /** Aborts the calls that run. Resolves when they are rolled back. */
  async abort(): Promise<void> {
    this.#end.abort(new DOMException('The harness did not wait for the call.', 'AbortError'));
    this.#end = new AbortController();
    await this.#gathered.settled();
  }

  /** Resolves when no call runs any more. Never rejects. */
  async settled(): Promise<void> {
    await this.#gathered.settled();
  }

  /** No call is taken any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** The turn of a call, once it is reported, so that nothing runs of an answer that is not whole. */
  async #reportedTurn({ name }: ToolRuntimeCall, signal: AbortSignal): Promise<HarnessTurn> {
    const { ledger, reportsTurns, turns } = this.#options;
    for (;;) {
      const turn = turns.open();
      if (!reportsTurns || turn.isReported) return turn;
      await ledger.environment.stop.race(untilAborted(turn.settled, signal).catch(ignore));
      if (signal.aborted || this.#isClosed) {
        const message = `The call of "${name}" was aborted by its caller before it began.`;
        throw ledger.errors.error('evaluation-aborted', 'tool', message, signal.reason);
      }
    }
  }

  #turnOfCall(call: PendingCall | undefined): HarnessTurn | undefined {
    return call && this.#turnOf.get(call.part);
  }

  #ended({ answers, calls, pending, results }: EndedTurn): void {
    for (const answer of answers) {
      if (answer.type !== 'tool-result') continue;
      const call = pending.find(({ part }) => part.callId === answer.callId);
      this.#turnOfCall(call)?.answered(answer.callId, answer);
    }
    const repetition = this.#failures.count(calls, results);
    if (repetition !== undefined)
      this.#options.fail(this.#options.ledger.errors.repeatedFailures(repetition));
  }
}
