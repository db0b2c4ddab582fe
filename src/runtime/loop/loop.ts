import { ModelResponseError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type {
  ApprovalRequestPart,
  AssistantPart,
  BudgetExcess,
  CompletionOptions,
  FinishReason,
  HostedToolReading,
  TokenUsage,
} from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment.ts';
import { haltReason } from '../call/halt-reason.ts';
import { type ToolCall, toToolCall } from '../call/tool-call.ts';
import type { ToolCallResult } from '../call/tool-call-run.ts';
import type { EvaluationPhase, PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import { RepeatedFailures } from '../limits/repeated-failures.ts';
import { findNoAnswer, isClaimed, isCutOff } from '../model/answer-end.ts';
import { dropToolResults } from '../model/drop-tool-results.ts';
import type { LoopState } from '../model/loop-state.ts';
import { addUsage, type ModelTurn } from '../model/model.ts';
import { estimateUsage } from '../model/token-estimate.ts';
import { findTurnFault, readUsage } from '../model/turn-fault.ts';
import { AnswerDesk, type AnswerOptions } from './answer-desk.ts';
import { CompletionDesk } from './completion-desk.ts';
import { ConversationWindow } from './conversation-window.ts';
import { ModelCaller, type ModelOptions } from './model-caller.ts';
import { RemoteApprovals } from './remote-approvals.ts';
import { liveRunContext, type RunContext } from './run-context.ts';
import { RunErrors } from './run-errors.ts';
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
  readonly #model: ModelCaller;
  readonly #approvals: RemoteApprovals;
  readonly #turns: TurnRunner;
  readonly #answers: AnswerDesk<Output>;
  readonly #completion: CompletionDesk | undefined;
  readonly #window: ConversationWindow | undefined;
  readonly #failures: RepeatedFailures;
  /** Of the last turn. */
  #lastInputTokens = 0;
  #hasAnswered = false;

  constructor(environment: EvaluationEnvironment, options: LoopOptions<Output>, state: LoopState) {
    this.#environment = environment;
    this.#options = options;
    this.#state = state;
    this.#errors = new RunErrors(environment.prompt.name, state);
    this.#failures = new RepeatedFailures(options.maxRepeatedFailures);
    this.#answers = new AnswerDesk(options.answer, environment, { state, errors: this.#errors });
    const { completion, maxConversationTurns } = options;
    if (maxConversationTurns !== undefined)
      this.#window = new ConversationWindow(maxConversationTurns, state);
    if (completion !== undefined) {
      this.#completion = new CompletionDesk(completion, environment, { state, errors: this.#errors });
    }
    this.#approvals = new RemoteApprovals(environment, { state, errors: this.#errors });
    this.#model = new ModelCaller(options, environment, {
      state,
      errors: this.#errors,
      nextTurnAtLeast: () => this.#nextTurnAtLeast(),
      hasAnswered: () => this.#hasAnswered,
    });
    const live = liveRunContext({
      'model-call': (request) => this.#model.generate(request),
      'remote-approval': (request) => this.#approvals.ask(request),
      'tool-call': ({ index }) => this.#turns.runCall(index),
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
    const { eventLoop, budget, isObserved, ready, stop } = this.#environment;
    const { maxTurns } = this.#options;
    for (;;) {
      // Lets timers and those who listen come in.
      const pause = eventLoop.pauseIfDue();
      if (pause !== undefined) await pause;
      const wait = ready?.();
      // A run that is stopped meanwhile hears of it right behind this.
      if (wait !== undefined) await stop.race(wait).catch(() => undefined);
      this.#endIfStopped('request');
      if (this.#state.turn >= maxTurns) throw this.#tooManyTurns();
      if (this.#window !== undefined) this.#moveWindow(this.#window);
      if (!budget.isUnlimited) this.#endWithBudget();
      let turn: ModelTurn;
      try {
        turn = await this.#model.ask(this.#context);
      } catch (error) {
        this.#recover(error);
        continue;
      }
      const fault = findTurnFault(turn);
      if (fault === undefined && turn.finishReason === 'context-window' && this.#makeRoom()) {
        this.#countCutTurn(turn);
        continue;
      }
      const { calls, approvals } = this.#takeTurn(turn, fault);
      if (approvals.length > 0) await this.#approvals.answer(approvals, this.#context);
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
        const result = await this.#conclude(turn);
        if (result !== undefined) return result;
      }
    }
  }

  #tooManyTurns(): PromptEvaluationError {
    const { maxTurns } = this.#options;
    return this.#errors.error(
      'evaluation-max-turns',
      'request',
      `The model was asked ${maxTurns} times and ${this.#whatIsLeft()}; raise maxTurns if that is intended.`,
    );
  }

  #endWithBudget(): void {
    const refusal = this.#environment.budget.refuseTurn(this.#nextTurnAtLeast());
    if (refusal !== undefined) throw this.#errors.stopped({ kind: 'budget', cause: refusal }, 'request');
  }

  /** Leaves out the oldest turns of a conversation that holds more than it may. */
  #moveWindow(window: ConversationWindow): void {
    const dropped = window.move();
    if (dropped === undefined) return;
    this.#lastInputTokens = 0;
    this.#environment.emit({ type: 'turns-dropped', turn: this.#state.turn, ...dropped });
  }

  /** Makes room when the conversation was too long for the model to answer; throws what the run ends with otherwise. */
  #recover(error: unknown): void {
    if (!ModelResponseError.isInstance(error)) throw error;
    if (!this.#makeRoom()) {
      const message = `The conversation has outgrown the model "${this.#options.model.name}": ${error.message}`;
      throw this.#errors.error('evaluation-context-exceeded', 'request', message, error);
    }
    this.#lastInputTokens = 0;
  }

  /** Takes down what a turn has cost that broke off because the conversation was too long; there is more room now. */
  #countCutTurn(turn: ModelTurn): void {
    const exceeded = this.#countUsage(readUsage(turn), turn);
    this.#tellUsage(turn);
    this.#tellExcess(exceeded);
    // What the next turn takes is not known: it gets less.
    this.#lastInputTokens = 0;
  }

  /** Drops old tool results, when that is wanted. @returns false when nothing was dropped. */
  #makeRoom(): boolean {
    if (this.#options.dropsToolResults !== true) return false;
    const { conversation, openings, turn } = this.#state;
    // What was opened is instructions: no call brings them again.
    const opened = new Set(openings.map(({ callId }) => callId));
    const dropped = dropToolResults(conversation, ({ callId }) => opened.has(callId));
    if (dropped === undefined) return false;
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

  /** What the run came to; undefined when the task is not done and the model is to go on. */
  async #conclude(turn: ModelTurn): Promise<LoopResult<Output> | undefined> {
    const { content, finishReason, hosted = none, hasFiles = false } = turn;
    const text = this.#state.pausedText + textOf(content);
    this.#state.pausedText = '';
    const answer = await this.#answers.read(text, finishReason);
    if (answer === undefined) return undefined;
    const result = { text, ...answer, finishReason };
    if (this.#completion !== undefined) {
      if (!(await this.#completion.isDone(result, this.#context))) return undefined;
      // The checker has judged an answer that says nothing, too, unless the model did not end it itself.
      if (isClaimed(finishReason)) return result;
    }
    const hasOutputs = hosted.length > 0 || hasFiles;
    const empty = findNoAnswer({ text, finishReason, hasOutputs }, this.#state.conversation);
    if (empty !== undefined) throw this.#errors.noAnswer(this.#options.model.name, empty);
    return result;
  }

  /** Puts a turn of the model on the conversation. @returns the calls it asks for, and what the provider wants to run. */
  #takeTurn(
    turn: ModelTurn,
    fault: string | undefined,
  ): { readonly calls: readonly ToolCall[]; readonly approvals: readonly ApprovalRequestPart[] } {
    // What a turn without a fault says it took is right.
    const exceeded = this.#countUsage(fault === undefined ? turn.usage : readUsage(turn), turn);
    if (fault !== undefined) {
      const message = `The answer of the model "${this.#options.model.name}" ${fault}.`;
      throw this.#errors.error('evaluation-response-invalid', 'response', message);
    }
    const { content, raw } = turn;
    let calls: ToolCall[] | undefined;
    let approvals: ApprovalRequestPart[] | undefined;
    for (const part of content) {
      if (part.type === 'tool-call') {
        const call = toToolCall(part, this.#state.turn, isCutOff(part, turn));
        if (calls === undefined) calls = [call];
        else calls.push(call);
      } else if (part.type === 'approval-request') (approvals ??= []).push(part);
    }
    this.#state.conversation.push(
      raw === undefined ? { type: 'assistant', content } : { type: 'assistant', content, raw },
    );
    if (this.#environment.isObserved) {
      this.#tellAnswer(turn);
      this.#tellUsage(turn);
    }
    if (turn.hosted !== undefined && turn.hosted.length > 0) this.#takeHosted(turn.hosted);
    if (exceeded.length > 0) this.#tellExcess(exceeded);
    this.#hasAnswered = true;
    return { calls: calls ?? none, approvals: approvals ?? none };
  }

  #tellAnswer({ content, finishReason, usage }: ModelTurn): void {
    this.#environment.emit({
      type: 'model-call-end',
      turn: this.#state.turn,
      text: textOf(content),
      toolCalls: content.filter((part) => part.type === 'tool-call'),
      finishReason,
      ...(usage === undefined ? {} : { usage }),
    });
  }

  #takeHosted(hosted: readonly HostedToolReading[]): void {
    const { turn, pausedText } = this.#state;
    for (const reading of hosted) {
      this.#state.hosted.push({ turn, textStart: pausedText.length, reading });
      const { toolName, invocations, citations } = reading;
      for (const [index, output] of invocations.entries()) {
        const isLast = index === invocations.length - 1;
        this.#environment.emit({
          type: 'hosted-tool-call',
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
    const { budget, display, logger, outer } = this.#environment;
    if (usage !== undefined) this.#state.usage = addUsage(this.#state.usage, usage);
    this.#lastInputTokens = usage?.inputTokens ?? 0;
    outer?.countUsage(usage);
    return budget.count(usage, logger, () => {
      const { conversation } = this.#state;
      return estimateUsage({ instructions: display.rendered.text, conversation, tools: display.tools }, turn);
    });
  }

  #tellUsage({ usage = {} }: ModelTurn): void {
    const { turn, usage: total } = this.#state;
    this.#environment.emit({ type: 'usage', turn, usage, total });
  }

  #tellExcess(exceeded: readonly BudgetExcess[]): void {
    const { turn } = this.#state;
    for (const excess of exceeded) this.#environment.emit({ type: 'budget-exceeded', turn, ...excess });
  }

  /** A conversation that nothing was dropped of has grown, so a turn takes as much input as the last one. Hosted tools make a turn of several. */
  #nextTurnAtLeast(): TokenUsage {
    const isAlike = this.#environment.display.rendered.hostedTools.length === 0;
    return { inputTokens: isAlike ? Math.max(1, this.#lastInputTokens) : 1, outputTokens: 1 };
  }

  /** Why the model would have to be asked again, as the end of a sentence. */
  #whatIsLeft(): string {
    const last = this.#state.conversation.at(-1)?.type;
    const wasSentBack = this.#completion !== undefined || this.#state.outputRepairs > 0;
    if (last === 'user' && wasSentBack) return 'its answers were incomplete';
    if (last === 'assistant' && this.#hasAnswered) return 'its answer is not finished';
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
    stop.checkDeadline(deadline);
    if (stop.reason !== undefined) throw this.#errors.stopped(stop.reason, 'request');
  }
}

function textOf(content: readonly AssistantPart[]): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('');
}
