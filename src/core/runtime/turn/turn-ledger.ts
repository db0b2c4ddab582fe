import { describeError, ModelResponseError } from '../../error/index.ts';
import { none, present, type Writable, wellFormed } from '../../internal/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import type {
  AssistantPart,
  BudgetExcess,
  FinishReason,
  HostedToolReading,
  ProviderTool,
  TokenUsage,
} from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import type { BareEvent } from '../events/run-event.ts';
import type { StopReason } from '../limits/run-stop.ts';
import { answererOf, readUsage } from '../model/check-turn.ts';
import type { LoopState } from '../model/loop-state.ts';
import { type ModelRequest, type ModelTurn, sumUsage } from '../model/model.ts';
import { reportedUsage } from '../model/reported-usage.ts';
import { TokenEstimate } from '../model/token-estimate.ts';
import { DeltaStream, type StreamedAnswer, type VoidCharacters } from './delta-stream.ts';
import { ModelCallReports, type ModelCallTiming } from './model-call-reports.ts';
import { RunErrors } from './run-errors.ts';
import type { StepFunction } from './step.ts';

/** How the turns of a run are asked for. */
export interface TurnLedgerOptions {
  /** Name of the model, or of the harness that asks one, for messages. */
  readonly name: string;
  /** Whether it is a harness. Default: false. */
  readonly isHarness?: boolean;
  /** Whether answers come piece by piece. Default: false. */
  readonly streaming?: boolean | undefined;
  /** Whether the ledger sees all that the model does, so that a turn that does not say what it took can be estimated. Default: it counts as 0. */
  readonly estimates?: boolean;
  /** ASCII characters in a token of the model; see `LanguageModel`. */
  readonly charactersPerToken?: number | undefined;
  /** Through which the run does what is not pure. Default: every step is done live. */
  readonly step?: StepFunction | undefined;
}

/** What a turn is asked with, beside the conversation. */
export interface BegunTurn
  extends Omit<
    ModelRequest,
    'conversation' | 'turn' | 'outputSchema' | 'deferredTools' | 'deferredSections' | 'providerTools'
  > {
  readonly deferredTools?: ModelRequest['deferredTools'] | undefined;
  readonly deferredSections?: ModelRequest['deferredSections'] | undefined;
  readonly providerTools: readonly ProviderTool[];
  readonly outputSchema: JsonSchema | undefined;
}

/**
 * The turns of one evaluation, in a loop of the library or of others: counts them and what they take, announces them, and says why there may be no further
 * one. A turn is announced by `turn-start` and `model-call-start`; by `model-call-end` and `usage-counted` when it is answered, with what the
 * provider ran itself and the limits that it passed; and by `turn-end` once its calls have their results.
 */
export class TurnLedger {
  readonly state: LoopState;
  readonly errors: RunErrors;
  readonly environment: EvaluationEnvironment;
  readonly step: StepFunction | undefined;
  readonly #options: TurnLedgerOptions;
  readonly #tokens: TokenEstimate | undefined;
  readonly #reports: ModelCallReports | undefined;
  readonly #deltas: DeltaStream | undefined;
  #askedAtMs = 0;
  #firstPieceMs: number | undefined;
  /** What is emitted of the last answer of this turn; undefined before it was asked for, and when it comes as a whole. */
  #pieces: StreamedAnswer | undefined;

  constructor(environment: EvaluationEnvironment, state: LoopState, options: TurnLedgerOptions) {
    const { streaming = false, estimates = false } = options;
    this.state = state;
    this.errors = new RunErrors(environment.prompt.name, state);
    this.environment = environment;
    this.step = options.step;
    this.#options = options;
    this.#tokens = estimates ? new TokenEstimate(options.charactersPerToken) : undefined;
    this.#reports = ModelCallReports.for(environment);
    this.#deltas = streaming ? new DeltaStream(environment) : undefined;
  }

  /** Items of the conversation before its end were left out or replaced. */
  conversationRewritten(): void {
    this.#tokens?.reset();
    this.#reports?.conversationRewritten();
  }

  /** What a run ends with that has had as many turns as it may. */
  tooManyTurns(maxTurns: number): PromptEvaluationError {
    const { isHarness, name } = this.#options;
    const model = isHarness === true ? `model of the harness "${name}"` : 'model';
    const message = `The ${model} was called ${maxTurns} times and ${this.#whatIsLeft()}; raise limits.maxTurns if that is intended.`;
    return this.errors.error('evaluation-turns-exceeded', 'request', message);
  }

  /** Why the budget does not allow another turn; undefined when it does. */
  unaffordable(): StopReason | undefined {
    const { budget, display } = this.environment;
    // A conversation that nothing was dropped of has grown: the next turn takes as much input as the last one. Hosted tools make a turn of several.
    const isAlike = display.rendered.hostedTools.length === 0;
    const inputTokens = isAlike ? Math.max(1, this.state.lastInputTokens) : 1;
    const cause = budget.refuseTurn({ inputTokens, outputTokens: 1 });
    return cause === undefined ? undefined : { kind: 'budget', cause };
  }

  /** A turn begins, with what is said to the model before it. @returns what the model is sent. */
  begin({ deferredTools, deferredSections, outputSchema, providerTools, ...asked }: BegunTurn): ModelRequest {
    const { instructions, tools, hostedTools, toolChoice, settings } = asked;
    const { clock, emit, eventTypes, input } = this.environment;
    const { state } = this;
    state.turn += 1;
    const { turn } = state;
    const taken = input?.takeFor(turn, !state.isContinued);
    if (taken !== undefined) state.conversation.push(...wellFormed(taken.items));
    this.#firstPieceMs = undefined;
    this.#pieces = undefined;
    if (this.#reports !== undefined || eventTypes.has('model-call-end')) this.#askedAtMs = clock.now();
    if (eventTypes.has('turn-start')) emit({ type: 'turn-start', turn });
    for (const messages of taken?.messages ?? none) emit({ type: 'input-taken', turn, ...messages });
    if (eventTypes.has('model-call-start')) emit({ type: 'model-call-start', turn });
    const { conversation } = state;
    const request: Writable<ModelRequest> = {
      instructions,
      conversation,
      tools,
      hostedTools,
      toolChoice,
      settings,
      turn,
    };
    if (outputSchema !== undefined) request.outputSchema = outputSchema;
    if (deferredTools !== undefined) request.deferredTools = deferredTools;
    if (deferredSections !== undefined) request.deferredSections = deferredSections;
    if (providerTools.length > 0) request.providerTools = providerTools;
    this.#reports?.asked(request);
    return request;
  }

  /** The pieces of an answer; undefined when it comes as a whole. */
  pieces(): StreamedAnswer | undefined {
    const answer = this.#deltas?.begin(this.state.turn);
    this.#pieces = answer;
    if (answer === undefined) return undefined;
    const { clock } = this.environment;
    const sentAtMs = clock.now();
    this.#firstPieceMs = undefined;
    return {
      ...answer,
      onDelta: (delta) => {
        this.#firstPieceMs ??= clock.now() - sentAtMs;
        return answer.onDelta(delta);
      },
    };
  }

  /** What was emitted of an answer of this turn that is void, as a member of the event that says so. */
  voidCharacters(): { readonly voidCharacters?: VoidCharacters } {
    return present({ voidCharacters: this.#pieces?.emitted() });
  }

  /** There is no answer. */
  failed(error: unknown): void {
    this.#reports?.failed(error, this.#timing);
  }

  /** What the run ends with when there is no answer for this reason. */
  unanswered(error: unknown): PromptEvaluationError {
    const { isHarness, name } = this.#options;
    if (PromptEvaluationError.isInstance(error)) return error;
    if (!ModelResponseError.isInstance(error)) {
      const what =
        isHarness === true ? `The harness "${name}" failed` : `The model "${name}" could not be asked`;
      return this.errors.error(
        'evaluation-request-failed',
        'request',
        `${what}: ${describeError(error)}`,
        error,
      );
    }
    if (error.code === 'model-context-exceeded') {
      const model = isHarness === true ? `model of the harness "${name}"` : `model "${name}"`;
      const message = `The conversation has outgrown the ${model}: ${error.message}`;
      return this.errors.error('evaluation-context-exceeded', 'request', message, error);
    }
    const message = `The answer of the ${this.#named} cannot be used: ${error.message}`;
    return this.errors.error('evaluation-response-invalid', 'response', message, error);
  }

  /**
   * Counts and announces an answer. One with a fault is paid for all the same.
   *
   * @param fault what is wrong with it, as the end of a sentence.
   * @returns what the run ends with when the answer cannot be used.
   */
  answered(turn: ModelTurn, fault: string | undefined): PromptEvaluationError | undefined {
    const { eventTypes, models } = this.environment;
    const usage = readUsage(turn);
    this.#reports?.answered(turn, this.#timing);
    const isShortened = fault === undefined && turn.isCompacted === true;
    this.state.lastInputTokens = isShortened ? 0 : (usage?.inputTokens ?? 0);
    const exceeded = this.#count(usage, turn);
    if (fault !== undefined) {
      this.#announceUsage(usage, exceeded);
      const message = `The answer of the ${this.#named} ${fault}.`;
      return this.errors.error('evaluation-response-invalid', 'response', message);
    }
    this.state.hasAnswered = true;
    if (turn.answeredBy !== undefined) models?.hasAnswered(turn.answeredBy);
    if (eventTypes.has('model-call-end')) this.announceAnswer(turn, usage);
    const { hosted = none } = turn;
    this.#announceUsage(usage, exceeded, hosted);
    return undefined;
  }

  /** Counts and announces what a turn took that is not an answer: it made room for another one, which may take less. */
  cut(turn: ModelTurn): void {
    const usage = readUsage(turn);
    this.#reports?.answered(turn, this.#timing);
    this.#announceUsage(usage, this.#count(usage, turn));
    this.state.lastInputTokens = 0;
  }

  /** Counts and announces what was taken beside the answers of turns. */
  count(given: TokenUsage | undefined): void {
    const usage = reportedUsage(given, undefined);
    this.#announceUsage(usage, this.#count(usage));
  }

  /** Counts an answer that is no longer awaited: it is paid for all the same. */
  countLate(request: ModelRequest, late: ModelTurn): void {
    const { budget, earlier, logger } = this.environment;
    const tokens = this.#tokens;
    const estimate = tokens && ((): TokenUsage => tokens.usageOf(request, late));
    budget.count(readUsage(late), logger, estimate, earlier?.paidAnswer?.(late), answererOf(late));
  }

  /** The model has ended its answer. */
  announceAnswer(
    {
      content,
      finishReason,
      responseId,
      responseModel,
      serviceTier,
      isCompacted,
      cache,
      answeredBy,
    }: Omit<ModelTurn, 'raw' | 'hosted' | 'usage'>,
    usage?: TokenUsage,
  ): void {
    const { durationMs, timeToFirstPieceMs } = this.#timing;
    const end: Writable<Extract<BareEvent, { readonly type: 'model-call-end' }>> = {
      type: 'model-call-end',
      turn: this.state.turn,
      text: textOf(content),
      toolCalls: content.filter((part) => part.type === 'tool-call'),
      finishReason,
      durationMs,
    };
    if (usage !== undefined) end.usage = usage;
    if (timeToFirstPieceMs !== undefined) end.timeToFirstPieceMs = timeToFirstPieceMs;
    if (responseId !== undefined) end.responseId = responseId;
    if (responseModel !== undefined) end.responseModel = responseModel;
    if (serviceTier !== undefined) end.serviceTier = serviceTier;
    if (isCompacted === true) end.isCompacted = true;
    if (cache !== undefined) end.cache = cache;
    if (answeredBy !== undefined) end.answeredBy = answeredBy;
    this.environment.emit(end);
  }

  /** The turn is over: the calls that it made have their results. */
  end(finishReason: FinishReason, toolCalls: number): void {
    this.environment.emit({ type: 'turn-end', turn: this.state.turn, finishReason, toolCalls });
  }

  /** An answer does not fit, and the model is to give another one. @returns false when it has been asked for as many as it may. */
  rejectOutput(problem: string, maxRepairs: number): boolean {
    const { state } = this;
    if (state.outputRepairs >= maxRepairs) return false;
    state.outputRepairs += 1;
    const { outputRepairs: repair, turn } = state;
    this.environment.emit({ type: 'output-rejected', turn, repair, problem });
    return true;
  }

  #count(usage: TokenUsage | undefined, turn?: ModelTurn): readonly BudgetExcess[] {
    const { budget, display, earlier, logger, outer } = this.environment;
    const { state } = this;
    const tokens = this.#tokens;
    const answer = turn && earlier?.paidAnswer?.(turn);
    if (usage !== undefined) state.usage = sumUsage(state.usage, usage);
    outer?.countUsage(usage, answer);
    if (budget.isUnlimited) return none;
    const estimate =
      tokens &&
      turn &&
      ((): TokenUsage => {
        const { conversation } = state;
        const { rendered, tools } = display;
        return tokens.usageOf({ instructions: rendered.text, conversation, tools }, turn);
      });
    return budget.count(usage, logger, estimate, answer, turn && answererOf(turn));
  }

  #announceUsage(
    usage: TokenUsage | undefined,
    exceeded: readonly BudgetExcess[],
    hosted: readonly HostedToolReading[] = none,
  ): void {
    const { emit, eventTypes } = this.environment;
    const { turn, usage: total } = this.state;
    if (eventTypes.has('usage-counted')) emit({ type: 'usage-counted', turn, usage: usage ?? {}, total });
    for (const reading of hosted) this.#recordHosted(reading);
    for (const excess of exceeded) emit({ type: 'budget-exceeded', turn, ...excess });
  }

  #recordHosted(reading: HostedToolReading): void {
    const { hosted, pausedText, turn } = this.state;
    const { toolName, invocations, citations } = reading;
    hosted.push({ turn, textStart: pausedText.length, reading });
    for (const [index, output] of invocations.entries()) {
      const isLast = index === invocations.length - 1;
      this.environment.emit({
        type: 'hosted-tool-called',
        turn,
        toolName,
        output,
        citations: isLast ? citations : [],
      });
    }
  }

  get #timing(): ModelCallTiming {
    const durationMs = this.environment.clock.now() - this.#askedAtMs;
    return this.#firstPieceMs === undefined
      ? { durationMs }
      : { durationMs, timeToFirstPieceMs: this.#firstPieceMs };
  }

  get #named(): string {
    const { isHarness, name } = this.#options;
    return `${isHarness === true ? 'harness' : 'model'} "${name}"`;
  }

  /** Why the model would have to be asked again, as the end of a sentence. */
  #whatIsLeft(): string {
    const { conversation, hasAnswered } = this.state;
    const last = conversation.at(-1)?.type;
    if (last === 'user' && hasAnswered) return 'its answers were incomplete';
    if (last === 'assistant' && hasAnswered) return 'its answer is not finished';
    return 'still wants to call tools';
  }
}

/** The text of an answer. */
export function textOf(content: readonly AssistantPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
