import { ModelResponseError } from '../../error/index.ts';
import { none, present } from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type {
  AssistantPart,
  BudgetExcess,
  FinishReason,
  HostedApprovalRequestPart,
  HostedToolReading,
  TokenUsage,
} from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import type { ToolCallResult } from '../call/tool-call/tool-call.ts';
import { type ToolCall, toToolCall } from '../call/tool-call/tool-call.ts';
import type { EvaluationPhase, PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import { RepeatedFailures } from '../limits/repeated-failures.ts';
import { haltReason } from '../limits/run-budget.ts';
import { findNoAnswer, findTurnFault, isClaimed, isCutOff, readUsage } from '../model/check-turn.ts';
import { dropToolResults } from '../model/drop-tool-results.ts';
import type { LoopState } from '../model/loop-state.ts';
import { type ModelTurn, sumUsage } from '../model/model.ts';
import { TokenEstimate } from '../model/token-estimate.ts';
import { type AnswerOptions, AnswerReader } from './answer-reader.ts';
import { CompletionGate, type CompletionSettings } from './completion-gate.ts';
import { ConversationWindow } from './conversation-window.ts';
import { ModelCaller, type ModelOptions, nextTurnAtLeast } from './model-caller.ts';
import { RemoteApprovals } from './remote-approvals.ts';
import { RunErrors } from './run-errors.ts';
import { type StepFunction, stepLive } from './step.ts';
import { TurnRunner } from './turn-runner.ts';

/** What a loop runs with, beside the environment its calls share. */
export interface LoopOptions<Output> extends ModelOptions {
  readonly maxTurns: number;
  /** In how many turns the same call may fail for the same reason without a commit in between; the last of them ends the run. */
  readonly maxRepeatedFailures: number;
  /** Whether old tool results make room when the conversation is too long. Default: the run ends. */
  readonly dropsToolResults?: boolean | undefined;
  /** How many turns of the model the conversation holds at most. Default: all. */
  readonly maxConversationTurns?: number | undefined;
  /** How the structured answer in a final text is read. */
  readonly answer: AnswerOptions<Output>;
  /** Decides whether the task is done. Default: it is, when the model asks for no call. */
  readonly completion?: CompletionSettings | undefined;
  /** Through which the run does everything that is not pure. Default: every step is done live. */
  readonly step?: StepFunction | undefined;
}

/** The result of a run that the model ended. */
export interface LoopResult<Output> {
  readonly text: string;
  readonly output: Output;
  /** The JSON that the model wrote for the output; absent when the answer is text. */
  readonly json?: JsonValue;
  readonly finishReason: FinishReason;
}

/**
 * Asks the model and runs the calls it asks for, until it asks for none. All that is impure goes through
 * `LoopOptions.step`.
 *
 * @throws {PromptEvaluationError} with the phase in which the run ended; conversation and usage so far are on it.
 */
export async function runLoop<Output>(
  environment: EvaluationEnvironment,
  options: LoopOptions<Output>,
  state: LoopState,
): Promise<LoopResult<Output>> {
  return new Loop(environment, options, state).run();
}

class Loop<Output> {
  readonly #environment: EvaluationEnvironment;
  readonly #options: LoopOptions<Output>;
  readonly #state: LoopState;
  readonly #errors: RunErrors;
  readonly #model: ModelCaller;
  readonly #approvals: RemoteApprovals;
  readonly #turns: TurnRunner;
  readonly #answers: AnswerReader<Output>;
  readonly #completion: CompletionGate | undefined;
  readonly #window: ConversationWindow | undefined;
  readonly #failures: RepeatedFailures;
  readonly #tokens: TokenEstimate;

  constructor(environment: EvaluationEnvironment, options: LoopOptions<Output>, state: LoopState) {
    const { completion, maxConversationTurns, step = stepLive } = options;
    const errors = new RunErrors(environment.prompt.name, state);
    const tokens = new TokenEstimate();
    const run = { state, errors, step, tokens };
    this.#environment = environment;
    this.#options = options;
    this.#state = state;
    this.#errors = errors;
    this.#tokens = tokens;
    this.#failures = new RepeatedFailures(options.maxRepeatedFailures);
    this.#answers = new AnswerReader(options.answer, environment, run);
    this.#window =
      maxConversationTurns === undefined ? undefined : new ConversationWindow(maxConversationTurns, state);
    this.#completion =
      completion === undefined ? undefined : new CompletionGate(completion, environment, run);
    this.#approvals = new RemoteApprovals(environment, run);
    this.#model = new ModelCaller(options, environment, run);
    this.#turns = new TurnRunner(environment, run);
  }

  async run(): Promise<LoopResult<Output>> {
    const { eventLoop, budget, ready, stop } = this.#environment;
    const { maxTurns } = this.#options;
    for (;;) {
      // Lets timers and listeners run.
      const pause = eventLoop.pauseIfDue();
      if (pause !== undefined) await pause;
      const wait = ready?.();
      // A run that is stopped meanwhile ends right after this.
      if (wait !== undefined) await stop.race(wait).catch(() => undefined);
      this.#endIfStopped('request');
      if (this.#state.turn >= maxTurns) throw this.#tooManyTurns();
      if (this.#window !== undefined) this.#moveWindow(this.#window);
      if (!budget.isUnlimited) this.#endWithBudget();
      const result = await this.#observedTurn();
      if (result !== undefined) return result;
    }
  }

  /** A turn in the context of the observers. */
  #observedTurn(): Promise<LoopResult<Output> | undefined> {
    const { observers, origin } = this.#environment;
    if (observers.around === undefined) return this.#takeTurn();
    const { evaluationId, promptName, parentCallIds: path = none } = origin;
    const turn = this.#state.turn + 1;
    return observers.around({ kind: 'turn', evaluationId, promptName, path, turn }, () => this.#takeTurn());
  }

  /** Asks the model and runs the calls that it asks for. @returns the result of the run; undefined when it is to go on. */
  async #takeTurn(): Promise<LoopResult<Output> | undefined> {
    const { eventLoop, isObserved } = this.#environment;
    let turn: ModelTurn;
    try {
      turn = await this.#model.ask();
    } catch (error) {
      this.#recover(error);
      return undefined;
    } finally {
      eventLoop.resume();
    }
    const fault = findTurnFault(turn);
    if (fault === undefined && turn.finishReason === 'context-window' && this.#makeRoom()) {
      this.#countCutTurn(turn);
      return undefined;
    }
    const { calls, approvals } = this.#recordTurn(turn, fault);
    if (approvals.length > 0) await this.#approvals.answer(approvals);
    const results = calls.length > 0 ? await this.#turns.run(calls) : none;
    if (isObserved) {
      this.#environment.emit({
        type: 'turn-end',
        turn: this.#state.turn,
        finishReason: turn.finishReason,
        toolCalls: calls.length,
      });
    }
    if (calls.length > 0) this.#endIfStopped('tool', results);
    const repetition = this.#failures.count(calls, results);
    if (repetition !== undefined) throw this.#errors.repeatedFailures(repetition);
    if (calls.length + approvals.length > 0) {
      this.#state.pausedText = '';
    } else if (turn.finishReason === 'paused') {
      this.#state.pausedText += textOf(turn.content);
    } else {
      this.#endIfLate();
      return this.#conclude(turn);
    }
    return undefined;
  }

  #tooManyTurns(): PromptEvaluationError {
    const { maxTurns } = this.#options;
    return this.#errors.error(
      'evaluation-turns-exceeded',
      'request',
      `The model was called ${maxTurns} times and ${this.#whatIsLeft()}; raise limits.maxTurns if that is intended.`,
    );
  }

  #endWithBudget(): void {
    const refusal = this.#environment.budget.refuseTurn(nextTurnAtLeast(this.#environment, this.#state));
    if (refusal !== undefined) throw this.#errors.stopped({ kind: 'budget', cause: refusal }, 'request');
  }

  /** Leaves out the oldest turns of a conversation that holds more than it may. */
  #moveWindow(window: ConversationWindow): void {
    const dropped = window.move();
    if (dropped === undefined) return;
    this.#model.conversationRewritten();
    this.#state.lastInputTokens = 0;
    this.#environment.emit({ type: 'turns-dropped', turn: this.#state.turn, ...dropped });
  }

  /** Makes room when the conversation was too long for the model to answer; throws what the run ends with otherwise. */
  #recover(error: unknown): void {
    if (!ModelResponseError.isInstance(error)) throw error;
    if (!this.#makeRoom()) {
      const message = `The conversation has outgrown the model "${this.#options.model.name}": ${error.message}`;
      throw this.#errors.error('evaluation-context-exceeded', 'request', message, error);
    }
    this.#state.lastInputTokens = 0;
  }

  /** Counts what a turn has cost that broke off because the conversation was too long; there is more room now. */
  #countCutTurn(turn: ModelTurn): void {
    const exceeded = this.#countUsage(readUsage(turn), turn);
    this.#emitUsage(turn);
    this.#emitExcess(exceeded);
    // What the next turn takes is not known: it gets less.
    this.#state.lastInputTokens = 0;
  }

  /** Drops old tool results, when that is wanted. @returns false when nothing was dropped. */
  #makeRoom(): boolean {
    if (this.#options.dropsToolResults !== true) return false;
    const { conversation, openings, turn } = this.#state;
    // What was opened is instructions: no call brings them again.
    const opened = new Set(openings.map(({ callId }) => callId));
    const dropped = dropToolResults(conversation, ({ callId }) => opened.has(callId));
    if (dropped === undefined) return false;
    this.#model.conversationRewritten();
    this.#environment.emit({ type: 'tool-results-dropped', turn, ...dropped });
    this.#environment.logger.warn(
      'The conversation was too long for the model; old tool results were dropped.',
      {
        ...dropped,
        turn,
      },
    );
    return true;
  }

  /** The result of the run; undefined when the task is not done and the model is to go on. */
  async #conclude(turn: ModelTurn): Promise<LoopResult<Output> | undefined> {
    const { content, finishReason, hosted = none, hasFiles = false } = turn;
    const text = this.#state.pausedText + textOf(content);
    this.#state.pausedText = '';
    const answer = await this.#answers.read(text, finishReason);
    if (answer === undefined) return undefined;
    const result = { text, ...answer, finishReason };
    if (this.#completion !== undefined) {
      if (!(await this.#completion.isDone(result))) return undefined;
      // The checker has judged an answer that says nothing, too, unless the model did not end it itself.
      if (isClaimed(finishReason)) return this.#isAskedMore() ? undefined : result;
    }
    if (this.#isAskedMore()) return undefined;
    const hasOutputs = hosted.length > 0 || hasFiles;
    const empty = findNoAnswer({ text, finishReason, hasOutputs }, this.#state.conversation);
    if (empty !== undefined) throw this.#errors.noAnswer(this.#options.model.name, empty);
    return result;
  }

  /** Whether a run that is resumed goes on with something new that was said. */
  #isAskedMore(): boolean {
    const { hooks, outer } = this.#environment;
    return outer === undefined && hooks?.hasInputFor?.(this.#state.turn + 1) === true;
  }

  /** Puts a turn of the model on the conversation. @returns the calls it asks for, and what the provider wants to run. */
  #recordTurn(
    turn: ModelTurn,
    fault: string | undefined,
  ): { readonly calls: readonly ToolCall[]; readonly approvals: readonly HostedApprovalRequestPart[] } {
    // What a turn without a fault says it took is right.
    const exceeded = this.#countUsage(fault === undefined ? turn.usage : readUsage(turn), turn);
    if (fault !== undefined) {
      const message = `The answer of the model "${this.#options.model.name}" ${fault}.`;
      throw this.#errors.error('evaluation-response-invalid', 'response', message);
    }
    const { content, raw } = turn;
    const calls: ToolCall[] = [];
    const approvals: HostedApprovalRequestPart[] = [];
    for (const part of content) {
      if (part.type === 'tool-call') calls.push(toToolCall(part, this.#state.turn, isCutOff(part, turn)));
      else if (part.type === 'approval-request') approvals.push(part);
    }
    this.#state.conversation.push(
      raw === undefined ? { type: 'assistant', content } : { type: 'assistant', content, raw },
    );
    if (this.#environment.isObserved) {
      this.#emitAnswer(turn);
      this.#emitUsage(turn);
    }
    if (turn.hosted !== undefined && turn.hosted.length > 0) this.#recordHosted(turn.hosted);
    if (exceeded.length > 0) this.#emitExcess(exceeded);
    this.#state.hasAnswered = true;
    return { calls, approvals };
  }

  #emitAnswer({ content, finishReason, usage, responseId, responseModel }: ModelTurn): void {
    this.#environment.emit({
      type: 'model-call-end',
      turn: this.#state.turn,
      text: textOf(content),
      toolCalls: content.filter((part) => part.type === 'tool-call'),
      finishReason,
      ...present({ usage, responseId, responseModel }),
      ...this.#model.timing,
    });
  }

  #recordHosted(hosted: readonly HostedToolReading[]): void {
    const { turn, pausedText } = this.#state;
    for (const reading of hosted) {
      this.#state.hosted.push({ turn, textStart: pausedText.length, reading });
      const { toolName, invocations, citations } = reading;
      for (const [index, output] of invocations.entries()) {
        const isLast = index === invocations.length - 1;
        this.#environment.emit({
          type: 'hosted-tool-called',
          turn,
          toolName,
          output,
          citations: isLast ? citations : [],
        });
      }
    }
  }

  /** Counts what a turn took, also when nothing else of it can be used. @returns the limits that it passed. */
  #countUsage(usage: TokenUsage | undefined, turn: ModelTurn): readonly BudgetExcess[] {
    const { budget, display, logger, outer, earlier } = this.#environment;
    const answer = earlier?.paidAnswer?.(turn);
    if (usage !== undefined) this.#state.usage = sumUsage(this.#state.usage, usage);
    this.#state.lastInputTokens = usage?.inputTokens ?? 0;
    outer?.countUsage(usage, answer);
    const estimate = (): TokenUsage => {
      const { conversation } = this.#state;
      const { rendered, tools } = display;
      return this.#tokens.usageOf({ instructions: rendered.text, conversation, tools }, turn);
    };
    return budget.count(usage, logger, estimate, answer);
  }

  #emitUsage({ usage = {} }: ModelTurn): void {
    const { turn, usage: total } = this.#state;
    this.#environment.emit({ type: 'usage-counted', turn, usage, total });
  }

  #emitExcess(exceeded: readonly BudgetExcess[]): void {
    const { turn } = this.#state;
    for (const excess of exceeded) this.#environment.emit({ type: 'budget-exceeded', turn, ...excess });
  }

  /** Why the model would have to be asked again, as the end of a sentence. */
  #whatIsLeft(): string {
    const last = this.#state.conversation.at(-1)?.type;
    const wasSentBack = this.#completion !== undefined || this.#state.outputRepairs > 0;
    if (last === 'user' && wasSentBack) return 'its answers were incomplete';
    if (last === 'assistant' && this.#state.hasAnswered) return 'its answer is not finished';
    return 'still wants to call tools';
  }

  /** @param results of the calls of the turn, for what is said about those that were running. */
  #endIfStopped(phase: EvaluationPhase, results: readonly ToolCallResult[] = none): void {
    const reason = haltReason(this.#environment);
    if (reason !== undefined) throw this.#errors.stopped(reason, phase, results);
  }

  /** An answer that is there is kept although it passed the budget, but not when it came too late. */
  #endIfLate(): void {
    const { stop, deadline } = this.#environment;
    const reason = stop.check(deadline);
    if (reason !== undefined) throw this.#errors.stopped(reason, 'request');
  }
}

function textOf(content: readonly AssistantPart[]): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('');
}
