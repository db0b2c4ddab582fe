import { describeError, ModelResponseError } from '../error/index.ts';
import type { JsonSchema, JsonValue } from '../schema/index.ts';
import type { AssistantPart, ConversationItem, FinishReason, TokenUsage, ToolChoice } from '../tool/index.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { addUsage, type ModelProvider, type ModelRequest, type ModelTool, type ModelTurn } from './model.ts';
import { type EvaluationPhase, PromptEvaluationError } from './prompt-evaluation-error.ts';
import { liveRunContext, type RunContext } from './run-context.ts';
import { RunErrors } from './run-errors.ts';
import { RunStopped } from './run-stop.ts';
import { askThrottled, type ThrottlePolicy } from './throttle.ts';
import { type ToolCall, toToolCall } from './tool-call.ts';
import type { ToolCallResult } from './tool-call-run.ts';
import { ToolInvoked, type ToolInvokedPayload } from './tool-invoked.ts';
import { applyPatch } from './transaction.ts';
import { findTurnFault } from './turn-fault.ts';
import { TurnScheduler } from './turn-scheduler.ts';

/** What a loop runs with, beside the environment its calls share. */
export interface LoopOptions {
  readonly model: ModelProvider;
  readonly tools: readonly ModelTool[];
  readonly outputSchema: JsonSchema | undefined;
  readonly maxTurns: number;
  readonly toolChoice: ToolChoice;
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** How a model that could not answer is asked again. Default: it is not. */
  readonly throttle?: ThrottlePolicy | undefined;
  /** Wraps the live context, for a journal. Default: the live context itself. */
  readonly journal?: (live: RunContext) => RunContext;
}

/** Where a run stands: plain data, enough to go on from. */
export interface LoopState {
  /** Model calls made so far. */
  turn: number;
  /** Grows at its end only. */
  readonly conversation: ConversationItem[];
  usage: TokenUsage;
}

/** How a run that the model ended came out. */
export interface LoopResult {
  readonly text: string;
  readonly finishReason: FinishReason;
}

/**
 * Asks the model and runs the calls it asks for, until it asks for none. All that is impure goes through
 * `RunContext.step`; patches are put on the state here and nowhere else.
 *
 * @throws {PromptEvaluationError} with the phase in which the run ended; conversation and usage so far are on it.
 */
export async function runLoop(
  environment: EvaluationEnvironment,
  options: LoopOptions,
  state: LoopState,
): Promise<LoopResult> {
  const loop = new Loop(environment, options, state);
  return loop.run();
}

class Loop {
  readonly #environment: EvaluationEnvironment;
  readonly #options: LoopOptions;
  readonly #state: LoopState;
  readonly #context: RunContext;
  readonly #errors: RunErrors;
  #scheduler: TurnScheduler | undefined;

  constructor(environment: EvaluationEnvironment, options: LoopOptions, state: LoopState) {
    this.#environment = environment;
    this.#options = options;
    this.#state = state;
    this.#errors = new RunErrors(environment.prompt.name, state);
    const live = liveRunContext({
      'model-call': async (request) => this.#generate(request),
      'tool-call': async ({ index }) => {
        if (this.#scheduler === undefined) throw new RangeError('A tool call was asked for outside a turn.');
        return this.#scheduler.run(index);
      },
    });
    this.#context = options.journal?.(live) ?? live;
  }

  async run(): Promise<LoopResult> {
    for (;;) {
      this.#endIfStopped('request');
      if (this.#state.turn >= this.#options.maxTurns) {
        throw this.#errors.error(
          'evaluation-max-turns',
          'request',
          `The model was asked ${this.#options.maxTurns} times and still wants to call tools; raise maxTurns if that is intended.`,
        );
      }
      const turn = await this.#askModel();
      const calls = this.#takeTurn(turn);
      if (calls.length === 0) return { text: textOf(turn.content), finishReason: turn.finishReason };
      await this.#runCalls(calls);
      this.#endIfStopped('tool');
    }
  }

  /** Asks the model for one turn, again and again while the throttle allows it. One step: a journal keeps its end. */
  async #generate(request: ModelRequest): Promise<ModelTurn> {
    const { clock, deadline, emit, logger, stop } = this.#environment;
    const { model, throttle } = this.#options;
    const ask = async (): Promise<ModelTurn> => model.generate(request, { signal: stop.signal, logger });
    if (throttle === undefined) return ask();
    return askThrottled(ask, {
      policy: throttle,
      clock,
      stop,
      deadline,
      onRetry: ({ attempt, delayMs, error }) => {
        const { kind: reason, message } = error;
        emit({ type: 'model-call-retry', turn: request.turn, attempt, delayMs, reason, message });
      },
    });
  }

  async #askModel(): Promise<ModelTurn> {
    const { emit, rendered, stop } = this.#environment;
    this.#state.turn += 1;
    const number = this.#state.turn;
    emit({ type: 'model-call-start', turn: number });
    const request: ModelRequest = {
      instructions: rendered.text,
      conversation: this.#state.conversation,
      tools: this.#options.tools,
      hostedTools: rendered.hostedTools,
      ...(this.#options.outputSchema === undefined ? {} : { outputSchema: this.#options.outputSchema }),
      toolChoice: number === 1 ? this.#options.toolChoice : afterFirstTurn(this.#options.toolChoice),
      settings: this.#options.settings,
      turn: number,
    };
    try {
      return await stop.race(
        this.#context.step({ kind: 'model-call', key: `turn-${number}/model`, input: request }),
      );
    } catch (error) {
      if (error instanceof RunStopped) throw this.#errors.stopped(error.reason, 'request');
      if (stop.reason !== undefined) throw this.#errors.stopped(stop.reason, 'request');
      if (PromptEvaluationError.isInstance(error)) throw error;
      if (ModelResponseError.isInstance(error)) {
        const message = `The answer of the model "${this.#options.model.name}" cannot be used: ${error.message}`;
        throw this.#errors.error('evaluation-response-invalid', 'response', message, error);
      }
      const message = `The model "${this.#options.model.name}" could not be asked: ${describeError(error)}`;
      throw this.#errors.error('evaluation-request-failed', 'request', message, error);
    }
  }

  /** Puts a turn of the model on the conversation. @returns the calls it asks for. */
  #takeTurn(turn: ModelTurn): readonly ToolCall[] {
    const fault = findTurnFault(turn);
    if (fault !== undefined) {
      const message = `The answer of the model "${this.#options.model.name}" ${fault}.`;
      throw this.#errors.error('evaluation-response-invalid', 'response', message);
    }
    this.#state.usage = addUsage(this.#state.usage, turn.usage);
    this.#environment.outer?.countUsage(turn.usage);
    const parts = turn.content.filter((part) => part.type === 'tool-call');
    this.#state.conversation.push({
      type: 'assistant',
      content: turn.content,
      ...(turn.raw === undefined ? {} : { raw: turn.raw }),
    });
    this.#environment.emit({
      type: 'model-call-end',
      turn: this.#state.turn,
      text: textOf(turn.content),
      toolCalls: parts,
      finishReason: turn.finishReason,
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    });
    return parts.map((part) => toToolCall(part, this.#state.turn));
  }

  /** Runs the calls of a turn; every one of them gets its result, also when the run ends in the middle. */
  async #runCalls(calls: readonly ToolCall[]): Promise<void> {
    let interrupt: ToolCallResult['interrupt'];
    const scheduler = new TurnScheduler(this.#environment, calls, (index, result) => {
      const applied = this.#apply(result);
      const finish = (): void => {
        interrupt ??= result.interrupt;
        if (result.interrupt !== undefined) {
          this.#environment.stop.stop({ kind: 'interrupted', cause: result.interrupt.error });
        }
        if (scheduler.position === index) scheduler.advance();
      };
      return applied instanceof Promise ? applied.then(finish) : finish();
    });
    this.#scheduler = scheduler;
    const answersBefore = this.#state.conversation.length;
    try {
      const steps = calls.map((call, index) =>
        this.#context.step({
          kind: 'tool-call',
          key: `turn-${call.turn}/call-${index}/${call.callId}`,
          input: { ...call, index },
        }),
      );
      for (const step of steps) step.catch(() => undefined); // Heard below, in order; none may go unheard when an earlier one fails.
      for (const [index, step] of steps.entries()) {
        const result = await step;
        if (scheduler.position > index) continue;
        // A journal answered: the call was made before, and only its patch is put on the state now.
        await this.#apply(result);
        interrupt ??= result.interrupt;
        scheduler.advance();
      }
    } catch (error) {
      const failure = this.#toolsFailed(calls.slice(this.#state.conversation.length - answersBefore), error);
      await scheduler.abandon();
      throw failure;
    }
    this.#scheduler = undefined;
    if (interrupt !== undefined) throw this.#errors.interrupted(interrupt.error);
  }

  /** Ends what still runs and answers the calls that have no result: the turn cannot be finished, through no fault of a tool. */
  #toolsFailed(unanswered: readonly ToolCall[], cause: unknown): PromptEvaluationError {
    const { stop } = this.#environment;
    const reason = stop.reason;
    stop.stop({ kind: 'interrupted', cause });
    for (const { callId, toolName } of unanswered) {
      const text = `The call of "${toolName}" was not completed because the run failed. Nothing is known of its effects.`;
      this.#state.conversation.push({ type: 'tool-result', callId, toolName, text, isError: true });
    }
    if (reason !== undefined && reason.kind !== 'interrupted') return this.#errors.stopped(reason, 'tool');
    const message = `The calls of a turn could not be run to their end: ${describeError(cause)}`;
    return this.#errors.error('evaluation-tools-failed', 'tool', message, cause);
  }

  /** Puts what a call changed on the state and tells everyone about it. */
  #apply(result: ToolCallResult): void | Promise<void> {
    const { roots, logger, emit } = this.#environment;
    const { invocation } = result;
    const announce = (): void => {
      this.#state.conversation.push({
        type: 'tool-result',
        callId: invocation.callId,
        toolName: invocation.toolName,
        text: invocation.modelText,
        isError: !invocation.success,
      });
      this.#state.usage = addUsage(this.#state.usage, invocation.usage);
      this.#record(invocation);
      if (result.cause !== undefined) {
        logger.debug('A tool call failed.', {
          tool: invocation.toolName,
          callId: invocation.callId,
          error: describeError(result.cause),
        });
      }
      emit({
        type: 'tool-call-end',
        invocation,
        ...(result.cause === undefined ? {} : { cause: result.cause }),
      });
    };
    const applied = result.patch === undefined ? undefined : applyPatch(roots, result.patch);
    return applied instanceof Promise ? applied.then(announce) : announce();
  }

  /** A transaction of its own: that a reducer of someone else's refuses the record changes nothing for the call. */
  #record(invocation: ToolInvokedPayload): void {
    const { roots, logger } = this.#environment;
    try {
      roots.session.dispatch(ToolInvoked, invocation);
    } catch (error) {
      const { toolName, callId } = invocation;
      logger.error('A tool call could not be recorded.', {
        tool: toolName,
        callId,
        error: describeError(error),
      });
    }
  }

  #endIfStopped(phase: EvaluationPhase): void {
    const { stop, deadline } = this.#environment;
    stop.checkDeadline(deadline);
    if (stop.reason !== undefined) throw this.#errors.stopped(stop.reason, phase);
  }
}

function afterFirstTurn(choice: ToolChoice): ToolChoice {
  return choice === 'none' ? 'none' : 'auto';
}

function textOf(content: readonly AssistantPart[]): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('');
}
