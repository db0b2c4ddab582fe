import { assertArgument, describeError, PromptValidationError } from '../../error/index.ts';
import { none, present, wellFormed, wellFormedJson } from '../../internal/index.ts';
import {
  createPartCheck,
  type EvaluationEnvironment,
  haltReason,
  RunErrors,
  RunStop,
  type ToolCall,
  type ToolCallPart,
  type ToolCallResult,
  type TraceContext,
  type TurnLedger,
  TurnRunner,
  toToolCall,
} from '../../runtime/index.ts';
import type { Clock } from '../../session/index.ts';
import { type ConversationItem, parsedArguments } from '../../tool/index.ts';
import type { ToolRuntimeCall, ToolRuntimeOutput } from './tool-runtime-types.ts';
import { TurnQueue } from './turn-queue.ts';

/** A call that waits for its turn, and what may give it up. */
export interface PendingCall {
  readonly part: ToolCallPart;
  readonly signal: AbortSignal | undefined;
  readonly trace?: TraceContext | undefined;
}

/** What became of a call: its answer, or that its own signal gave it up. */
type GatheredCallOutcome = { readonly output: ToolRuntimeOutput } | { readonly error: unknown };

/** The calls of a turn that has ended. */
export interface EndedTurn {
  readonly pending: readonly PendingCall[];
  readonly calls: readonly ToolCall[];
  /** In their order; empty when the run ended in the middle of the turn. */
  readonly results: readonly ToolCallResult[];
  /** What the model reads of each call. */
  readonly answers: readonly ConversationItem[];
}

/** What calls are gathered with beside the environment. */
export interface GatheredCallsOptions {
  readonly ledger: TurnLedger;
  /** Does the work of a turn of calls, and what has to be done before and after it. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether a clock that cannot say when timers have run is asked for a timer, which calls wait for. Default: false, they run at once. */
  readonly waitsForTimer?: boolean;
  /** Keeps the watchdog from counting until the returned function is called: between two turns it is the loop that works. Default: it counts. */
  readonly holdWatch?: () => () => void;
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

const ignore = (): void => undefined;

/** The calls of a loop that is not the library's, gathered into turns: what that loop does around the calls is done here. */
export class GatheredCalls {
  readonly #environment: EvaluationEnvironment;
  readonly #options: GatheredCallsOptions;
  readonly #runner: TurnRunner;
  readonly #queue: TurnQueue<PendingCall, GatheredCallOutcome>;
  /** Turns that run now. */
  #running = 0;
  #releaseWatch: () => void;

  constructor(options: GatheredCallsOptions) {
    this.#environment = options.ledger.environment;
    this.#options = options;
    this.#runner = new TurnRunner(options.ledger);
    this.#releaseWatch = this.#holdWatch();
    this.#queue = new TurnQueue({
      gather: () => this.#gather(),
      createCheck: () => {
        const findFault = createPartCheck();
        return ({ part }) => this.assertGood(findFault(part));
      },
      run: (calls) => options.inTurn(() => this.#run(calls)),
    });
  }

  /** True while a turn runs or waits. */
  get isBusy(): boolean {
    return this.#queue.isBusy;
  }

  /**
   * Runs these calls as a turn of their own, after those that came as a whole before; every one of them gets its answer.
   *
   * @throws {PromptEvaluationError} when the run was stopped; it is over then.
   */
  async turn(calls: readonly PendingCall[]): Promise<readonly ToolRuntimeOutput[]> {
    return (await this.#queue.turn(calls)).map(outputOf);
  }

  /**
   * Runs a call together with the others that come at the same time.
   *
   * @throws {PromptEvaluationError} `evaluation-response-invalid` for a call that cannot be one of a turn, that the call was aborted by its signal, and what the run ends with.
   */
  async join(call: PendingCall): Promise<ToolRuntimeOutput> {
    return outputOf(await this.#queue.join(call));
  }

  /** Resolves when no call runs any more. Never rejects. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** @throws {PromptEvaluationError} `evaluation-response-invalid` for a fault. */
  assertGood(fault: string | undefined): void {
    if (fault === undefined) return;
    const message = `No call of this turn was run: it ${fault}.`;
    throw this.#options.ledger.errors.error('evaluation-response-invalid', 'response', message);
  }

  /** Waits until timers have run: what is made in one go has come then. */
  async #gather(): Promise<void> {
    const { clock, stop } = this.#environment;
    const { waitsForTimer = false } = this.#options;
    const gathered = clock.yieldToTimers?.() ?? (waitsForTimer ? timerOf(clock) : undefined);
    if (gathered === undefined) return;
    // A run that has ended gathers nothing more.
    await stop.race(gathered).catch(ignore);
  }

  /** Runs the calls of one turn. A turn that begins while others run does not wait for them. */
  async #run(pending: readonly PendingCall[]): Promise<readonly GatheredCallOutcome[]> {
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
    const { state } = this.#options.ledger;
    state.turn += 1;
    return state.turn;
  }

  #errorsOf(turn: number, conversation: readonly ConversationItem[]): RunErrors {
    const { state } = this.#options.ledger;
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
    if (this.#running === 0) this.#releaseWatch = this.#holdWatch();
  }

  #holdWatch(): () => void {
    return this.#options.holdWatch?.() ?? ignore;
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
    return { stop, end: stop.follow({ signal, outer: this.#environment.stop }) };
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

function timerOf(clock: Clock): Promise<void> {
  return new Promise<void>((resolve) => {
    clock.schedule(0, resolve);
  });
}

function toCall({ part, trace }: PendingCall, turn: number): ToolCall {
  const call = toToolCall(part, turn, part.isComplete === false);
  return trace === undefined ? call : { ...call, trace };
}

function outputOf(outcome: GatheredCallOutcome): ToolRuntimeOutput {
  if ('error' in outcome) throw outcome.error;
  return outcome.output;
}

/**
 * A call of a loop outside of the library, as a part of what a model said.
 *
 * @throws {PromptValidationError} for a call that is not an object, and arguments that are not JSON.
 */
export function toCallPart(call: ToolRuntimeCall): ToolCallPart {
  assertArgument('A call', 'it', call, 'object');
  const { callId, name, arguments: given, isComplete } = call;
  const part = {
    type: 'tool-call',
    callId,
    name: wellFormed(name),
    ...toText(given),
  } as const;
  return isComplete === undefined ? part : { ...part, isComplete };
}

function toText(given: ToolRuntimeCall['arguments']): Pick<ToolCallPart, 'arguments' | 'wasParsed'> {
  if (typeof given === 'string') return { arguments: wellFormedJson(given) };
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (cause) {
    throw notJson(cause);
  }
  if (text === undefined) throw notJson(new TypeError(`${typeof given} has no JSON text`));
  return parsedArguments(wellFormedJson(text));
}

function notJson(cause: unknown): PromptValidationError {
  return new PromptValidationError(`The arguments of a call are not JSON: ${describeError(cause)}`, {
    cause,
  });
}
