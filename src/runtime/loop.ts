import { describeError, ModelResponseError } from '../error/index.ts';
import type { JsonSchema, JsonValue } from '../schema/index.ts';
import type {
  AssistantPart,
  BudgetExcess,
  CompletionOptions,
  FinishReason,
  ModelSettings,
  TokenUsage,
  ToolChoice,
} from '../tool/index.ts';
import { AnswerDesk, type AnswerOptions } from './answer-desk.ts';
import { CompletionDesk } from './completion-desk.ts';
import type { EvaluationEnvironment } from './environment.ts';
import { haltReason } from './halt-reason.ts';
import type { LoopState } from './loop-state.ts';
import { addUsage, type ModelProvider, type ModelRequest, type ModelTurn } from './model.ts';
import { type EvaluationPhase, PromptEvaluationError } from './prompt-evaluation-error.ts';
import { liveRunContext, type RunContext } from './run-context.ts';
import { RunErrors } from './run-errors.ts';
import { RunStopped } from './run-stop.ts';
import { askThrottled, type ThrottlePolicy } from './throttle.ts';
import { type ToolCall, toToolCall } from './tool-call.ts';
import { findTurnFault, readUsage } from './turn-fault.ts';
import { TurnRunner } from './turn-runner.ts';

/** What a loop runs with, beside the environment its calls share. */
export interface LoopOptions<Output> {
  readonly model: ModelProvider;
  readonly outputSchema: JsonSchema | undefined;
  readonly maxTurns: number;
  readonly toolChoice: ToolChoice;
  readonly settings: ModelSettings;
  /** How a model that could not answer is asked again. Default: it is not. */
  readonly throttle?: ThrottlePolicy | undefined;
  /** How the structured answer in a final text is read. */
  readonly answer: AnswerOptions<Output>;
  /** Decides whether the task is done. Default: it is, when the model asks for no call. */
  readonly completion?: CompletionOptions | undefined;
  /** Wraps the live context, for a journal. Default: the live context itself. */
  readonly journal?: (live: RunContext) => RunContext;
}

/** How a run that the model ended came out. */
export interface LoopResult<Output> {
  readonly text: string;
  readonly output: Output;
  /** The JSON that the model wrote for the output; absent when the answer is text. */
  readonly json?: JsonValue;
  readonly finishReason: FinishReason;
}

/**
 * Asks the model and runs the calls it asks for, until it asks for none. All that is impure goes through
 * `RunContext.step`; patches are put on the state here and nowhere else.
 *
 * @throws {PromptEvaluationError} with the phase in which the run ended; conversation and usage so far are on it.
 */
export async function runLoop<Output>(
  environment: EvaluationEnvironment,
  options: LoopOptions<Output>,
  state: LoopState,
): Promise<LoopResult<Output>> {
  const loop = new Loop(environment, options, state);
  return loop.run();
}

class Loop<Output> {
  readonly #environment: EvaluationEnvironment;
  readonly #options: LoopOptions<Output>;
  readonly #state: LoopState;
  readonly #context: RunContext;
  readonly #errors: RunErrors;
  readonly #turns: TurnRunner;
  readonly #answers: AnswerDesk<Output>;
  readonly #completion: CompletionDesk | undefined;
  /** Of the last turn. */
  #lastInputTokens = 0;

  constructor(environment: EvaluationEnvironment, options: LoopOptions<Output>, state: LoopState) {
    this.#environment = environment;
    this.#options = options;
    this.#state = state;
    this.#errors = new RunErrors(environment.prompt.name, state);
    this.#answers = new AnswerDesk(options.answer, environment, { state, errors: this.#errors });
    const { completion } = options;
    if (completion !== undefined) {
      this.#completion = new CompletionDesk(completion, environment, { state, errors: this.#errors });
    }
    const live = liveRunContext({
      'model-call': async (request) => this.#generate(request),
      'tool-call': async ({ index }) => this.#turns.runCall(index),
      'completion-check': async (check) => {
        if (this.#completion === undefined) throw new RangeError('There is no completion checker to ask.');
        return this.#completion.check(check);
      },
    });
    this.#context = options.journal?.(live) ?? live;
    this.#turns = new TurnRunner(environment, {
      state,
      errors: this.#errors,
      step: (call) => this.#context.step(call),
    });
  }

  async run(): Promise<LoopResult<Output>> {
    for (;;) {
      const pause = this.#environment.breather.breathe();
      if (pause !== undefined) await pause;
      this.#endIfStopped('request');
      if (this.#state.turn >= this.#options.maxTurns) {
        throw this.#errors.error(
          'evaluation-max-turns',
          'request',
          `The model was asked ${this.#options.maxTurns} times and ${this.#isAnswered() ? 'its answers were incomplete' : 'still wants to call tools'}; raise maxTurns if that is intended.`,
        );
      }
      const refusal = this.#environment.budget.refuseTurn(this.#nextTurnAtLeast());
      if (refusal !== undefined) throw this.#errors.stopped({ kind: 'budget', cause: refusal }, 'request');
      const turn = await this.#askModel();
      const calls = this.#takeTurn(turn);
      if (calls.length === 0) {
        this.#endIfLate();
        const result = await this.#conclude(turn);
        if (result !== undefined) return result;
        continue;
      }
      await this.#turns.run(calls);
      this.#endIfStopped('tool');
    }
  }

  /** What the run came to; undefined when the task is not done and the model is to go on. */
  async #conclude({ content, finishReason }: ModelTurn): Promise<LoopResult<Output> | undefined> {
    const text = textOf(content);
    const answer = await this.#answers.read(text, finishReason);
    if (answer === undefined) return undefined;
    const result = { text, ...answer, finishReason };
    if (this.#completion === undefined) return result;
    return (await this.#completion.isDone(result, this.#context)) ? result : undefined;
  }

  /** Asks the model for one turn, again and again while the throttle allows it. One step: a journal keeps its end. */
  async #generate(request: ModelRequest): Promise<ModelTurn> {
    const { budget, clock, deadline, emit, logger, stop } = this.#environment;
    const { model, throttle } = this.#options;
    const ask = async (): Promise<ModelTurn> => {
      // Others may have used it up since, while this one waited to be asked again.
      const refusal = budget.refuseTurn(this.#nextTurnAtLeast());
      if (refusal !== undefined) throw new RunStopped({ kind: 'budget', cause: refusal });
      return model.generate(request, { signal: stop.signal, logger });
    };
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
    const { display, emit, stop } = this.#environment;
    display.update();
    this.#state.turn += 1;
    const number = this.#state.turn;
    emit({ type: 'model-call-start', turn: number });
    const request: ModelRequest = {
      instructions: display.rendered.text,
      conversation: this.#state.conversation,
      tools: display.tools,
      hostedTools: display.rendered.hostedTools,
      ...(this.#options.outputSchema === undefined ? {} : { outputSchema: this.#options.outputSchema }),
      toolChoice: number === 1 ? this.#options.toolChoice : afterFirstTurn(this.#options.toolChoice),
      settings: this.#options.settings,
      turn: number,
    };
    const answer = this.#context.step({ kind: 'model-call', key: `turn-${number}/model`, input: request });
    try {
      return await stop.race(answer);
    } catch (error) {
      // An answer that nobody waits for any more is paid for all the same.
      answer.then(
        (late) => this.#environment.budget.count(readUsage(late), this.#environment.logger),
        () => undefined,
      );
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
    const exceeded = this.#countUsage(readUsage(turn));
    if (fault !== undefined) {
      const message = `The answer of the model "${this.#options.model.name}" ${fault}.`;
      throw this.#errors.error('evaluation-response-invalid', 'response', message);
    }
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
    for (const excess of exceeded) {
      this.#environment.emit({ type: 'budget-exceeded', turn: this.#state.turn, ...excess });
    }
    return parts.map((part) => toToolCall(part, this.#state.turn));
  }

  /** Counts what a turn took, also when nothing else of it can be used. @returns the limits that it passed. */
  #countUsage(usage: TokenUsage | undefined): readonly BudgetExcess[] {
    const { budget, logger, outer } = this.#environment;
    this.#state.usage = addUsage(this.#state.usage, usage);
    this.#lastInputTokens = usage?.inputTokens ?? 0;
    outer?.countUsage(usage);
    return budget.count(usage, logger);
  }

  /** The conversation only grows, so a turn takes as much input as the last one. Hosted tools make a turn of several. */
  #nextTurnAtLeast(): TokenUsage {
    const isAlike = this.#environment.display.rendered.hostedTools.length === 0;
    return { inputTokens: isAlike ? Math.max(1, this.#lastInputTokens) : 1, outputTokens: 1 };
  }

  /** True when the model was sent back after an answer. */
  #isAnswered(): boolean {
    return (
      (this.#completion !== undefined || this.#state.outputRepairs > 0) &&
      this.#state.conversation.at(-1)?.type === 'user'
    );
  }

  #endIfStopped(phase: EvaluationPhase): void {
    const reason = haltReason(this.#environment);
    if (reason !== undefined) throw this.#errors.stopped(reason, phase);
  }

  /** An answer that is there is kept although it passed the budget, but not when it came too late. */
  #endIfLate(): void {
    const { stop, deadline } = this.#environment;
    stop.checkDeadline(deadline);
    if (stop.reason !== undefined) throw this.#errors.stopped(stop.reason, 'request');
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
