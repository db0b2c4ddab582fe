import { none, present } from '../../internal/index.ts';
import {
  type EvaluationEnvironment,
  haltReason,
  type LoopState,
  RunErrors,
  RunStop,
  type ToolCall,
  type ToolCallPart,
  type ToolCallResult,
  type TraceContext,
  TurnRunner,
  toToolCall,
} from '../../runtime/index.ts';
import type { ConversationItem } from '../../tool/index.ts';
import type { ToolRuntimeOutput } from './tool-runtime-types.ts';

/** A call that waits for its turn, and what may give it up. */
export interface PendingCall {
  readonly part: ToolCallPart;
  readonly signal: AbortSignal | undefined;
  readonly trace?: TraceContext | undefined;
}

/** What became of a call: its answer, or that its own signal gave it up. */
export type GatheredCallOutcome = { readonly output: ToolRuntimeOutput } | { readonly error: unknown };

/** The calls of a turn that has ended. */
export interface EndedTurn {
  readonly pending: readonly PendingCall[];
  readonly calls: readonly ToolCall[];
  /** In their order; empty when the run ended in the middle of the turn. */
  readonly results: readonly ToolCallResult[];
  /** What the model reads of each call. */
  readonly answers: readonly ConversationItem[];
}

/** What turns are run with beside the environment. */
export interface RuntimeTurnsOptions {
  readonly state: LoopState;
  readonly errors: RunErrors;
  /** Keeps the watchdog from counting until the returned function is called: between two turns it is the loop that works. */
  readonly holdWatch: () => () => void;
  /** The number of the turn that calls belong to. Default: each turn of calls is one of its own. */
  readonly turnOf?: (pending: readonly PendingCall[]) => number;
  /** Gets what became of a turn of calls, before the run ends for any reason in it. Must not throw. */
  readonly onEnd?: (turn: EndedTurn) => void;
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
  /** Turns that run now. */
  #running = 0;
  #releaseWatch: () => void;

  constructor(environment: EvaluationEnvironment, options: RuntimeTurnsOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#runner = new TurnRunner(environment, options);
    this.#releaseWatch = options.holdWatch();
  }

  /**
   * Runs the calls of one turn; every one of them gets its answer. A turn that begins while others run does not wait for them.
   *
   * @throws {PromptEvaluationError} when the run was stopped; it is over then.
   */
  async run(pending: readonly PendingCall[]): Promise<readonly GatheredCallOutcome[]> {
    const pause = this.#environment.eventLoop.pauseIfDue();
    if (pause !== undefined) await pause;
    const turn = this.#options.turnOf?.(pending) ?? this.#nextTurn();
    // The conversation is the caller's. Each turn keeps its own calls and answers, for its errors, and only while it runs.
    const asked: ConversationItem = { type: 'assistant', content: pending.map(({ part }) => part) };
    const conversation: ConversationItem[] = [asked];
    const errors = this.#errorsOf(turn, conversation);
    const stops = pending.map(({ signal }) => (signal === undefined ? undefined : this.#follow(signal)));
    this.#begin();
    const calls = pending.map((call) => toCall(call, turn));
    let results: readonly ToolCallResult[] = none;
    try {
      results = await this.#runner.run(calls, { stops: stops.map((own) => own?.stop), conversation, errors });
    } finally {
      for (const own of stops) own?.end();
      this.#end();
      this.#options.onEnd?.({ pending, calls, results, answers: conversation.slice(1) });
    }
    this.#endIfStopped(results, errors);
    this.#environment.display.update();
    return results.map((result, index) => this.#outcomeOf(result, stops[index]?.stop, errors));
  }

  #nextTurn(): number {
    this.#options.state.turn += 1;
    return this.#options.state.turn;
  }

  #errorsOf(turn: number, conversation: readonly ConversationItem[]): RunErrors {
    const { state } = this.#options;
    return new RunErrors(this.#environment.prompt.name, {
      turn,
      conversation,
      get usage() {
        return state.usage;
      },
    });
  }

  #begin(): void {
    if (this.#running === 0) this.#releaseWatch();
    this.#running += 1;
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#releaseWatch = this.#options.holdWatch();
  }

  /** Once the run is stopped it stays so, also for a budget, which stops nothing by itself. */
  #endIfStopped(results: readonly ToolCallResult[], errors: RunErrors): void {
    const reason = haltReason(this.#environment);
    if (reason === undefined) return;
    this.#environment.stop.stop(reason);
    throw errors.stopped(reason, 'tool', results);
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
    { invocation, attachments, isValueExcluded }: ToolCallResult,
    stop: RunStop | undefined,
    errors: RunErrors,
  ): GatheredCallOutcome {
    const { callId, toolName } = invocation;
    if (stop?.reason !== undefined && invocation.outcome === 'aborted') {
      const message = `The call "${callId}" of "${toolName}" was aborted by its caller.`;
      return { error: errors.error('evaluation-aborted', 'tool', message, stop.reason.cause) };
    }
    const text = invocation.modelText;
    const answer = { callId, toolName, text, isError: !invocation.success };
    return { output: { ...answer, ...present({ attachments, isValueExcluded }), invocation } };
  }
}

function toCall({ part, trace }: PendingCall, turn: number): ToolCall {
  const call = toToolCall(part, turn, part.isComplete === false);
  return trace === undefined ? call : { ...call, trace };
}
