import { describeError } from '../../error/index.ts';
import { CallLedger } from '../call/call-ledger.ts';
import type { EvaluationEnvironment } from '../call/environment.ts';
import type { ToolCall } from '../call/tool-call.ts';
import type { ToolCallResult } from '../call/tool-call-run.ts';
import { TurnScheduler } from '../call/turn-scheduler.ts';
import type { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import type { RunStop } from '../limits/run-stop.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { Step } from './run-context.ts';
import type { RunErrors } from './run-errors.ts';

/** What a {@link TurnRunner} works with beside the environment. */
export interface TurnRunnerOptions {
  readonly state: LoopState;
  readonly errors: RunErrors;
  /** Answers one call of the turn: by `runCall` there and then, or from a journal. Default: `runCall`. */
  readonly step?: (step: Step<'tool-call'>) => Promise<ToolCallResult>;
}

/** Runs the calls that were asked for together, turn after turn, whoever asked for them. */
export class TurnRunner {
  readonly #environment: EvaluationEnvironment;
  readonly #state: LoopState;
  readonly #errors: RunErrors;
  readonly #ledger: CallLedger;
  readonly #step: (step: Step<'tool-call'>) => Promise<ToolCallResult>;
  #scheduler: TurnScheduler | undefined;

  constructor(environment: EvaluationEnvironment, { state, errors, step }: TurnRunnerOptions) {
    this.#environment = environment;
    this.#state = state;
    this.#errors = errors;
    this.#ledger = new CallLedger(environment, state);
    this.#step = step ?? (({ input }) => this.runCall(input.index));
  }

  /** Makes the call at `index` of the turn that is being run. */
  runCall(index: number): Promise<ToolCallResult> {
    if (this.#scheduler === undefined) throw new RangeError('A tool call was asked for outside a turn.');
    return this.#scheduler.run(index);
  }

  /**
   * Runs the calls of a turn; every one of them gets its result, also when the run ends in the middle.
   *
   * @param stops what each call follows, in the order of the calls; each must follow the run's. Default: the run's, for all of them.
   * @returns the results in the order of the calls.
   * @throws {PromptEvaluationError} when a call ended the run, or the calls could not be run to their end.
   */
  async run(
    calls: readonly ToolCall[],
    stops: readonly (RunStop | undefined)[] = [],
  ): Promise<readonly ToolCallResult[]> {
    let interrupting: ToolCallResult | undefined;
    let results: ToolCallResult[] | undefined;
    const commit = (index: number, result: ToolCallResult): ToolCallResult | Promise<ToolCallResult> => {
      const committed = this.#ledger.commit(result);
      const finish = (told: ToolCallResult): ToolCallResult => {
        if (told.interrupt !== undefined) {
          interrupting ??= told;
          this.#environment.stop.stop({ kind: 'interrupted', cause: told.interrupt.error });
        }
        if (scheduler.position === index) scheduler.advance();
        return told;
      };
      return committed instanceof Promise ? committed.then(finish) : finish(committed);
    };
    const scheduler = new TurnScheduler(this.#environment, calls, { commit, stops });
    this.#scheduler = scheduler;
    const answersBefore = this.#state.conversation.length;
    try {
      const steps = calls.map(({ callId, toolName, arguments: text, turn }, index) =>
        this.#step({
          kind: 'tool-call',
          key: `turn-${turn}/call-${index}/${callId}`,
          input: { callId, toolName, arguments: text, turn, index },
        }),
      );
      // Heard below, in order; none may go unheard when an earlier one fails.
      if (steps.length > 1) for (const step of steps) step.catch(() => undefined);
      for (let index = 0; index < steps.length; index += 1) {
        const result = await steps[index];
        if (result === undefined) throw new RangeError('A call came to nothing.');
        if (results === undefined) results = [result];
        else results.push(result);
        if (scheduler.position > index) continue;
        // A journal answered: the call was made before, and only its patch is put on the state now.
        await this.#ledger.takeOver(result);
        if (result.interrupt !== undefined) interrupting ??= result;
        scheduler.advance();
      }
    } catch (error) {
      const unanswered = calls.slice(this.#state.conversation.length - answersBefore);
      const failure = this.#failed(unanswered, error, results);
      await scheduler.abandon();
      throw failure;
    }
    this.#scheduler = undefined;
    if (interrupting?.interrupt !== undefined) {
      throw this.#errors.interrupted(interrupting.interrupt.error, interrupting);
    }
    return results ?? [];
  }

  /** Ends what still runs and answers the calls that have no result: the turn cannot be finished, through no fault of a tool. */
  #failed(
    unanswered: readonly ToolCall[],
    cause: unknown,
    results: readonly ToolCallResult[] = [],
  ): PromptEvaluationError {
    const { stop } = this.#environment;
    const reason = stop.reason;
    stop.stop({ kind: 'interrupted', cause });
    for (const { callId, toolName } of unanswered) {
      const text = `The call of "${toolName}" was not completed because the run failed. Nothing is known of its effects.`;
      this.#state.conversation.push({ type: 'tool-result', callId, toolName, text, isError: true });
    }
    if (reason !== undefined && reason.kind !== 'interrupted') {
      return this.#errors.stopped(reason, 'tool', results);
    }
    const message = `The calls of a turn could not be run to their end: ${describeError(cause)}`;
    return this.#errors.error('evaluation-tools-failed', 'tool', message, cause);
  }
}
