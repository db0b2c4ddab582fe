import { describeError, ModelResponseError } from '../../error/index.ts';
import { none, present, type Writable } from '../../internal/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import type { ModelSettings, TokenUsage, ToolChoice } from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import { askThrottled, type ThrottleContext, type ThrottlePolicy } from '../limits/throttle.ts';
import { readUsage } from '../model/check-turn.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { LanguageModel, ModelCallOptions, ModelRequest, ModelTurn } from '../model/model.ts';
import type { TokenEstimate } from '../model/token-estimate.ts';
import { DeltaStream } from './delta-stream.ts';
import { ModelCallReports, type ModelCallTiming } from './model-call-reports.ts';
import type { RunErrors } from './run-errors.ts';
import type { StepFunction } from './step.ts';

/** How the model of a run is asked. */
export interface ModelOptions {
  readonly model: LanguageModel;
  readonly outputSchema: JsonSchema | undefined;
  readonly toolChoice: ToolChoice;
  readonly settings: ModelSettings;
  /** How a model that could not answer is asked again. Default: it is not. */
  readonly throttle?: ThrottlePolicy | undefined;
  /** Whether answers are asked for piece by piece. Default: false. */
  readonly streaming?: boolean | undefined;
}

/** What of a run a {@link ModelCaller} needs. */
interface ModelCallerParts {
  readonly state: LoopState;
  readonly errors: RunErrors;
  readonly step: StepFunction;
  readonly tokens: TokenEstimate;
}

/** Asks the model of a run for its turns, with what the prompt shows at the time. */
export class ModelCaller {
  readonly #options: ModelOptions;
  readonly #environment: EvaluationEnvironment;
  readonly #run: ModelCallerParts;
  readonly #deltas: DeltaStream | undefined;
  readonly #reports: ModelCallReports | undefined;
  readonly #throttle: ThrottleContext;
  #generateOptions: ModelCallOptions | undefined;
  #askedAtMs = 0;
  #firstPieceMs: number | undefined;
  #checked: ModelRequest['hostedTools'];

  constructor(options: ModelOptions, environment: EvaluationEnvironment, run: ModelCallerParts) {
    this.#options = options;
    this.#environment = environment;
    this.#run = run;
    this.#reports = ModelCallReports.for(environment);
    if (options.streaming === true) this.#deltas = new DeltaStream(environment);
    const { clock, deadline, emit, stop } = environment;
    this.#throttle = {
      policy: options.throttle,
      clock,
      stop,
      deadline,
      onRetry: ({ attempt, delayMs, error }) => {
        const { kind: reason, message } = error;
        emit({ type: 'model-call-retry', turn: run.state.turn, attempt, delayMs, reason, message });
      },
    };
    this.#checked = environment.display.rendered.hostedTools;
  }

  /** Items of the conversation before its end were left out or replaced. */
  conversationRewritten(): void {
    this.#run.tokens.reset();
    this.#reports?.conversationRewritten();
  }

  /** How long the last answer took. */
  get timing(): ModelCallTiming {
    const durationMs = this.#environment.clock.now() - this.#askedAtMs;
    return this.#firstPieceMs === undefined
      ? { durationMs }
      : { durationMs, timeToFirstPieceMs: this.#firstPieceMs };
  }

  /**
   * One turn of the model, as a step of the run.
   *
   * @throws {PromptEvaluationError} when there is none.
   * @throws {ModelResponseError} `model-context-exceeded`: the conversation is too long.
   */
  async ask(): Promise<ModelTurn> {
    const { clock, display, emit, hooks, isObserved, outer, stop } = this.#environment;
    const { state, errors, step, tokens } = this.#run;
    display.update();
    if (display.rendered.hostedTools !== this.#checked) this.#checkHostedTools();
    state.turn += 1;
    const number = state.turn;
    if (outer === undefined) state.conversation.push(...(hooks?.takeInputFor?.(number) ?? none));
    if (isObserved || this.#reports !== undefined) this.#askedAtMs = clock.now();
    if (isObserved) {
      emit({ type: 'turn-start', turn: number });
      emit({ type: 'model-call-start', turn: number });
    }
    const { outputSchema, toolChoice, settings, model } = this.#options;
    const request: Writable<ModelRequest> = {
      instructions: display.rendered.text,
      conversation: state.conversation,
      tools: display.tools,
      hostedTools: display.rendered.hostedTools,
      toolChoice: state.hasAnswered ? afterFirstAnswer(toolChoice) : toolChoice,
      settings,
      turn: number,
    };
    if (outputSchema !== undefined) request.outputSchema = outputSchema;
    const key = `turn-${number}/model`;
    this.#reports?.asked(request);
    const answer = step({ kind: 'model-call', key, input: request }, () => this.#observed(request));
    try {
      const turn = await stop.race(answer);
      this.#reports?.answered(turn, this.timing);
      return turn;
    } catch (error) {
      const reason = error instanceof RunStoppedSignal ? error.reason : stop.reason;
      const stopped = reason === undefined ? undefined : errors.stopped(reason, 'request');
      this.#reports?.failed(stopped ?? error, this.timing);
      // An answer that is no longer awaited is paid for all the same.
      answer.then(
        (late) => {
          const { budget, logger, earlier } = this.#environment;
          const estimate = (): TokenUsage => tokens.usageOf(request, late);
          budget.count(readUsage(late), logger, estimate, earlier?.paidAnswer?.(late));
        },
        () => undefined,
      );
      if (stopped !== undefined) throw stopped;
      if (PromptEvaluationError.isInstance(error)) throw error;
      if (!ModelResponseError.isInstance(error)) {
        const message = `The model "${model.name}" could not be asked: ${describeError(error)}`;
        throw errors.error('evaluation-request-failed', 'request', message, error);
      }
      if (error.code === 'model-context-exceeded') throw error;
      const message = `The answer of the model "${model.name}" cannot be used: ${error.message}`;
      throw errors.error('evaluation-response-invalid', 'response', message, error);
    }
  }

  /** {@link #generate} in the context of the observers. */
  #observed(request: ModelRequest): Promise<ModelTurn> {
    const { observers, origin } = this.#environment;
    if (observers.around === undefined) return this.#generate(request);
    const { evaluationId, promptName, parentCallIds: path = none } = origin;
    const scope = { kind: 'model-call', evaluationId, promptName, path, turn: request.turn } as const;
    return observers.around(scope, () => this.#generate(request));
  }

  /** Asks the model for one turn, again and again while the throttle allows it. One step: a journal keeps its end. */
  #generate(request: ModelRequest): Promise<ModelTurn> {
    if (this.#deltas !== undefined) this.#announceRestart(request.turn);
    return askThrottled(() => this.#ask(request), this.#throttle);
  }

  /** Deltas are not rows: a program that has shown some before an interruption has to learn that they are void. */
  #announceRestart(turn: number): void {
    const { emit, hooks, origin } = this.#environment;
    if (hooks?.restartsAnswer?.(origin.evaluationId, turn) === true) emit({ type: 'answer-restarted', turn });
  }

  #ask(request: ModelRequest): ModelTurn | Promise<ModelTurn> {
    const { budget, clock, logger, stop } = this.#environment;
    // Others may have used it up since, while this one waited to be asked again.
    const refusal = budget.isUnlimited
      ? undefined
      : budget.refuseTurn(nextTurnAtLeast(this.#environment, this.#run.state));
    if (refusal !== undefined) throw new RunStoppedSignal({ kind: 'budget', cause: refusal });
    this.#generateOptions ??= { signal: stop.signal, logger, clock };
    return this.#deltas === undefined
      ? this.#options.model.generate(request, this.#generateOptions)
      : this.#askStreaming(request, this.#deltas, this.#generateOptions);
  }

  async #askStreaming(
    request: ModelRequest,
    deltas: DeltaStream,
    options: ModelCallOptions,
  ): Promise<ModelTurn> {
    const { clock } = this.#environment;
    const answer = deltas.begin(request.turn);
    const sentAtMs = clock.now();
    this.#firstPieceMs = undefined;
    const onDelta: typeof answer.onDelta = (delta) => {
      this.#firstPieceMs ??= clock.now() - sentAtMs;
      return answer.onDelta(delta);
    };
    try {
      const turn = await this.#options.model.generate(request, { ...options, onDelta });
      answer.complete();
      return turn;
    } finally {
      answer.end();
    }
  }

  /** Opened sections may have hosted tools that the provider does not support. */
  #checkHostedTools(): void {
    const { tools, rendered } = this.#environment.display;
    const { hostedTools } = rendered;
    const { model, outputSchema, toolChoice, settings } = this.#options;
    try {
      model.check?.({
        tools,
        hostedTools,
        toolChoice,
        settings,
        ...present({ outputSchema }),
      });
    } catch (cause) {
      const message = `The sections that were opened cannot be used: ${describeError(cause)}`;
      throw this.#run.errors.error('evaluation-render-failed', 'render', message, cause);
    }
    this.#checked = hostedTools;
  }
}

/**
 * What the next turn takes at least. A conversation that nothing was dropped of has grown, so a turn takes as much input as the last one;
 * hosted tools make a turn of several.
 */
export function nextTurnAtLeast(
  { display }: Pick<EvaluationEnvironment, 'display'>,
  { lastInputTokens }: Pick<LoopState, 'lastInputTokens'>,
): TokenUsage {
  const isAlike = display.rendered.hostedTools.length === 0;
  return { inputTokens: isAlike ? Math.max(1, lastInputTokens) : 1, outputTokens: 1 };
}

function afterFirstAnswer(choice: ToolChoice): ToolChoice {
  return choice === 'none' ? 'none' : 'auto';
}
