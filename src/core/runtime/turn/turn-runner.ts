import { describeError } from '../../error/index.ts';
import type { ConversationItem } from '../../tool/index.ts';
import { isThrown } from '../call/attempt/exceptions.ts';
import { CallCommits } from '../call/commits.ts';
import { HookFailure } from '../call/environment/call-hooks.ts';
import { RunSuspended } from '../call/environment/run-suspension.ts';
import { CallScheduler, type ScheduledCall } from '../call/scheduler.ts';
import type { ToolCall, ToolCallResult } from '../call/tool-call/tool-call.ts';
import type { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import type { RunStop } from '../limits/run-stop.ts';
import { addTokenUsage } from '../model/model.ts';
import type { RunErrors } from './run-errors.ts';
import type { StepFunction } from './step.ts';
import type { TurnLedger } from './turn-ledger.ts';

/** How one turn differs from the run around it. */
export interface TurnOptions {
  /** What each call follows, in the order of the calls; each must follow the run's stop. Default: the run's stop, for all of them. */
  readonly stops?: readonly (RunStop | undefined)[];
  /** Gets the answers of the calls. Default: the conversation of the run. */
  readonly conversation?: ConversationItem[];
  /** Makes the errors of the turn. Default: those of the run. */
  readonly errors?: RunErrors;
}

/** Runs the calls of a turn together, turn after turn, for a model or a tool runtime. */
export class TurnRunner {
  readonly #ledger: TurnLedger;
  readonly #scheduler: CallScheduler;

  constructor(ledger: TurnLedger) {
    this.#ledger = ledger;
    this.#scheduler = new CallScheduler(ledger.environment);
  }

  /**
   * Runs the calls of a turn; every one of them gets its result, also when the run ends in the middle. A turn that begins while another
   * one runs does not wait for it.
   *
   * @returns the results in the order of the calls.
   * @throws {PromptEvaluationError} when a call ended the run, or the calls could not be run to their end.
   */
  async run(
    calls: readonly ToolCall[],
    { stops, conversation = this.#ledger.state.conversation, errors = this.#ledger.errors }: TurnOptions = {},
  ): Promise<readonly ToolCallResult[]> {
    const { environment, step } = this.#ledger;
    const { suspension } = environment;
    suspension?.beginTurn(calls);
    const commits = new CallCommits(environment, this.#ledger.state, conversation);
    const turn = this.#scheduler.add(calls, commits, stops);
    const results: ToolCallResult[] = [];
    try {
      const steps = turn.map((call, index) =>
        step === undefined ? this.#scheduler.run(call) : this.#runStep(step, call, index),
      );
      // Awaited below, in order; no rejection may be unhandled when an earlier one fails.
      for (const each of steps) each.catch(() => undefined);
      for (const [index, call] of turn.entries()) {
        const result = await steps[index];
        if (result === undefined) throw new RangeError('A step of a run has no result.');
        if (call.state === 'done') {
          results.push(result);
          continue;
        }
        // A journal answered: the call was made before, and only its patch is put on the state now.
        results.push(await commits.takeOver(result));
        this.#scheduler.done(call);
      }
    } catch (thrown) {
      const error = isThrown(thrown, HookFailure) ? thrown.cause : thrown;
      const unanswered = turn.filter(({ state }) => state !== 'done').map(({ run }) => run.call);
      const failure = this.#failed(unanswered, error, results, { conversation, errors });
      await this.#scheduler.rollback(turn);
      throw failure;
    }
    if (suspension !== undefined && suspension.open.length > 0) {
      this.#countSuspended(results);
      throw new RunSuspended(suspension.open);
    }
    const interrupting = results.find(({ interrupt }) => interrupt !== undefined);
    if (interrupting?.interrupt !== undefined) {
      throw errors.interrupted(interrupting.interrupt.error, interrupting);
    }
    return results;
  }

  /** Calls that wait have no result yet, and what was spent inside them is spent. */
  #countSuspended(results: readonly ToolCallResult[]): void {
    for (const { invocation, isSuspended } of results)
      if (isSuspended === true)
        this.#ledger.state.usage = addTokenUsage(this.#ledger.state.usage, invocation.usage);
  }

  #runStep(step: StepFunction, call: ScheduledCall, index: number): Promise<ToolCallResult> {
    const { callId, toolName, arguments: text, turn } = call.run.call;
    const key = `turn-${turn}/call-${index}/${callId}`;
    const input = { callId, toolName, arguments: text, turn, index };
    return step({ kind: 'tool-call', key, input }, () => this.#scheduler.run(call));
  }

  /** Ends what still runs and answers the calls that have no result: the turn cannot be finished, through no fault of a tool. */
  #failed(
    unanswered: readonly ToolCall[],
    cause: unknown,
    results: readonly ToolCallResult[],
    { conversation, errors }: Required<Pick<TurnOptions, 'conversation' | 'errors'>>,
  ): PromptEvaluationError {
    const { stop } = this.#ledger.environment;
    const reason = stop.reason;
    stop.stop({ kind: 'interrupted', cause });
    for (const { callId, toolName } of unanswered) {
      const text = `The call of "${toolName}" was not completed because the run failed. Nothing is known of its effects.`;
      conversation.push({ type: 'tool-result', callId, toolName, text, isError: true });
    }
    if (reason !== undefined && reason.kind !== 'interrupted') {
      return errors.stopped(reason, 'tool', results);
    }
    const message = `The calls of a turn could not be run to their end: ${describeError(cause)}`;
    return errors.error('evaluation-tools-failed', 'tool', message, cause);
  }
}
