import {
  type EvaluationEnvironment,
  haltReason,
  type LoopState,
  type RunErrors,
  RunStop,
  type ToolCall,
  type ToolCallPart,
  type ToolCallResult,
  TurnRunner,
  toToolCall,
} from '../../runtime/index.ts';
import type { ToolResultItem } from '../../tool/index.ts';
import type { ToolCallOutput } from './tool-runtime-types.ts';

/** A call that waits for its turn, and what may give it up. */
export interface PendingCall {
  readonly part: ToolCallPart;
  readonly signal: AbortSignal | undefined;
}

/** What became of a call: its answer, or that its own signal gave it up. */
export type CallOutcome = { readonly output: ToolCallOutput } | { readonly error: unknown };

/** What turns are run with beside the environment. */
export interface RuntimeTurnsOptions {
  readonly state: LoopState;
  readonly errors: RunErrors;
  /** Keeps the watchdog from counting until the returned function is called: between two turns it is the loop that works. */
  readonly holdWatch: () => () => void;
}

/** A stop that follows that of the run and the signal of one call. */
interface CallStop {
  readonly stop: RunStop;
  readonly end: () => void;
}

/** The turns of a loop that is not the library's: what that loop does around the calls is done here. */
export class RuntimeTurns {
  readonly #environment: EvaluationEnvironment;
  readonly #options: RuntimeTurnsOptions;
  readonly #runner: TurnRunner;
  #releaseWatch: () => void;

  constructor(environment: EvaluationEnvironment, options: RuntimeTurnsOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#runner = new TurnRunner(environment, options);
    this.#releaseWatch = options.holdWatch();
  }

  /**
   * Runs the calls of one turn; every one of them gets its answer.
   *
   * @throws {PromptEvaluationError} when the run was stopped; it is over then.
   */
  async run(pending: readonly PendingCall[]): Promise<readonly CallOutcome[]> {
    const { state, holdWatch } = this.#options;
    const pause = this.#environment.eventLoop.pauseIfDue();
    if (pause !== undefined) await pause;
    state.turn += 1;
    const { turn } = state;
    // The conversation is the loop's. Turns before this one, with the images in their answers, would only pile up.
    state.conversation.splice(0, Infinity, {
      type: 'assistant',
      content: pending.map(({ part }) => part),
    });
    const stops = pending.map(({ signal }) => (signal === undefined ? undefined : this.#follow(signal)));
    this.#releaseWatch();
    let results: readonly ToolCallResult[];
    try {
      results = await this.#runner.run(
        pending.map(({ part }) => toCall(part, turn)),
        stops.map((own) => own?.stop),
      );
    } finally {
      for (const own of stops) own?.end();
      this.#releaseWatch = holdWatch();
    }
    this.#endIfStopped(results);
    this.#environment.display.update();
    const answers = state.conversation.filter((item) => item.type === 'tool-result');
    return results.map((result, index) => this.#outcomeOf(result, answers[index], stops[index]?.stop));
  }

  /** Once the run is stopped it stays so, also for a budget, which stops nothing by itself. */
  #endIfStopped(results: readonly ToolCallResult[]): void {
    const reason = haltReason(this.#environment);
    if (reason === undefined) return;
    this.#environment.stop.stop(reason);
    throw this.#options.errors.stopped(reason, 'tool', results);
  }

  #follow(signal: AbortSignal): CallStop {
    const stop = new RunStop(this.#environment);
    const unsubscribe = this.#environment.stop.onStop((reason) => stop.stop(reason));
    const unfollow = stop.follow({ signal });
    return {
      stop,
      end: () => {
        unfollow();
        unsubscribe();
      },
    };
  }

  #outcomeOf(
    { invocation }: ToolCallResult,
    answer: ToolResultItem | undefined,
    stop: RunStop | undefined,
  ): CallOutcome {
    if (answer === undefined) throw new RangeError(`The call "${invocation.callId}" got no answer.`);
    if (stop?.reason !== undefined && invocation.outcome === 'aborted') {
      const message = `The call "${invocation.callId}" of "${invocation.toolName}" was aborted by its caller.`;
      return {
        error: this.#options.errors.error('evaluation-aborted', 'tool', message, stop.reason.cause),
      };
    }
    const { type: _type, ...told } = answer;
    return { output: { ...told, invocation } };
  }
}

function toCall(part: ToolCallPart, turn: number): ToolCall {
  return toToolCall(part, turn, part.isComplete === false);
}
