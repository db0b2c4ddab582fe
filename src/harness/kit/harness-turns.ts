import { present, type Writable } from '../../core/internal/index.ts';
import {
  type AssistantPart,
  addTokenUsage,
  DeltaStream,
  type EvaluationEnvironment,
  findTurnFault,
  type LoopOptions,
  type LoopState,
  ModelCallReports,
  type ModelCallTiming,
  type ModelDelta,
  type ModelTurn,
  nextTurnAtLeast,
  type RunErrors,
  RunStoppedSignal,
  readUsage,
  type StreamedAnswer,
  type TokenUsage,
  tokenCounts,
} from '../../core/runtime/index.ts';
import type { FinishTool } from './finish-tool.ts';
import { HarnessTurn } from './harness-turn.ts';

/** What {@link HarnessTurns} work with beside the environment. */
export interface HarnessTurnsOptions {
  readonly state: LoopState;
  readonly errors: RunErrors;
  readonly loop: Pick<LoopOptions<unknown>, 'outputSchema' | 'settings' | 'streaming' | 'toolChoice'>;
  /** Name of the harness, for messages. */
  readonly harness: string;
  /** Whether the harness reports its turns. Else they are reckoned: what comes after the results of calls is another turn. */
  readonly reportsTurns: boolean;
  /** Turns that the run may have, where they are reported. */
  readonly maxTurns: number;
  readonly finish: FinishTool | undefined;
  /** The turn in which the model gave its answer by `finish`; undefined while it has not. */
  readonly answeredIn: () => number | undefined;
  /** Ends the run with this error. */
  readonly fail: (error: unknown) => void;
}

/**
 * The turns of the model of a harness, as far as they are known: their events, what they took, and the conversation that they make. A turn that the harness does
 * not report begins with what comes of it first, a piece of text or a call.
 */
export class HarnessTurns {
  readonly #environment: EvaluationEnvironment;
  readonly #options: HarnessTurnsOptions;
  readonly #reports: ModelCallReports | undefined;
  readonly #deltas: DeltaStream | undefined;
  #turn: HarnessTurn | undefined;
  #answer: StreamedAnswer | undefined;
  #askedAtMs = 0;
  #firstPieceMs: number | undefined;
  /** What the harness has reported, evaluations inside calls left out. */
  #counted: TokenUsage = {};

  constructor(environment: EvaluationEnvironment, options: HarnessTurnsOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#reports = ModelCallReports.for(environment);
    if (options.loop.streaming === true) this.#deltas = new DeltaStream(environment);
  }

  /** The turn that goes on; begins one when none does. @throws {RunStoppedSignal} when the run may have no more. */
  open(): HarnessTurn {
    const turn = this.#turn;
    if (turn === undefined) return this.begin();
    return !this.#options.reportsTurns && turn.isAnswered ? this.begin() : turn;
  }

  /** The model is asked. @throws {RunStoppedSignal} when it must not be: the run ends. */
  begin(): HarnessTurn {
    this.close();
    const { budget, clock, display, emit, stop } = this.#environment;
    const { maxTurns, reportsTurns, state } = this.#options;
    if (reportsTurns && state.turn >= maxTurns) this.#options.fail(this.#tooManyTurns());
    const refusal = budget.isUnlimited
      ? undefined
      : budget.refuseTurn(nextTurnAtLeast(this.#environment, state));
    if (refusal !== undefined) stop.stop({ kind: 'budget', cause: refusal });
    if (stop.reason !== undefined) throw new RunStoppedSignal(stop.reason);
    display.update();
    state.turn += 1;
    const turn = new HarnessTurn(state.turn);
    this.#turn = turn;
    this.#askedAtMs = clock.now();
    this.#firstPieceMs = undefined;
    emit({ type: 'turn-start', turn: turn.number });
    emit({ type: 'model-call-start', turn: turn.number });
    this.#reportRequest(turn.number);
    this.#answer = this.#deltas?.begin(turn.number);
    return turn;
  }

  /** A piece of what the model says. @returns what the harness waits for. */
  delta(delta: ModelDelta): Promise<void> | undefined {
    // What comes after the report of a turn belongs to the next one.
    const turn = this.#turn?.isReported === true ? this.begin() : this.open();
    if (turn.isReported) return undefined;
    this.#firstPieceMs ??= this.#environment.clock.now() - this.#askedAtMs;
    return this.#answer?.onDelta(delta);
  }

  /** What the model answered. @throws {RunStoppedSignal} when the run ends with it. */
  report(answered: ModelTurn): void {
    const { errors, fail, harness, state } = this.#options;
    const fault = findTurnFault(answered);
    const turn = this.#turn?.isReported === true ? this.begin() : this.open();
    const usage = fault === undefined ? answered.usage : readUsage(answered);
    const countUsage = this.#usageCounter(usage);
    if (fault !== undefined) {
      countUsage();
      const message = `The answer that the harness "${harness}" reported ${fault}.`;
      fail(errors.error('evaluation-response-invalid', 'response', message));
      return;
    }
    turn.report({ ...answered, content: this.#withoutFinish(answered.content) });
    this.#endAnswer();
    this.#reports?.answered({ ...answered, content: turn.content }, this.#timing);
    this.#emitEnd(turn, answered);
    countUsage();
    state.lastInputTokens = usage?.inputTokens ?? 0;
    state.hasAnswered = true;
  }

  /** What was taken so far, all turns together: counts what was not reported turn by turn. */
  countTotal(total: TokenUsage): void {
    const rest: Writable<TokenUsage> = {};
    for (const name of tokenCounts) {
      const count: unknown = total[name];
      if (typeof count !== 'number' || !Number.isFinite(count)) continue;
      rest[name] = Math.max(0, count - (this.#counted[name] ?? 0));
    }
    if (Object.values(rest).some((count) => count > 0)) this.#usageCounter(rest)();
  }

  /** The model is done, and this is its answer. @throws {RunStoppedSignal} when the run ends before it. */
  end(text: string): void {
    const turn = this.open();
    if (!turn.isReported) turn.said(text);
    this.#close(turn, { isAnswer: true });
  }

  /** What of a turn there is goes to the conversation. @param isCut whether the run ends within the turn. */
  close(isCut = false): void {
    if (this.#turn !== undefined) this.#close(this.#turn, { isCut });
  }

  #close(
    turn: HarnessTurn,
    { isAnswer = false, isCut = false }: { readonly isAnswer?: boolean; readonly isCut?: boolean },
  ): void {
    this.#turn = undefined;
    turn.end();
    this.#answer?.end();
    if (turn.isEmpty) return;
    if (!turn.isReported)
      this.#emitEnd(turn, { finishReason: turn.calls.length > 0 ? 'tool-calls' : 'stop' });
    const answeredIn = this.#options.answeredIn();
    // What the model says after its answer is not part of it, and a turn of calls of the harness's own tools says nothing.
    const isPart = answeredIn === undefined || turn.number <= answeredIn;
    if (isPart && (isAnswer || turn.content.length > 0))
      this.#options.state.conversation.push(...turn.items());
    if (isCut) return;
    const { finishReason = turn.calls.length > 0 ? 'tool-calls' : 'stop', number } = turn;
    this.#environment.emit({
      type: 'turn-end',
      turn: number,
      finishReason,
      toolCalls: turn.calls.length,
    });
  }

  #reportRequest(turn: number): void {
    if (this.#reports === undefined) return;
    const { display } = this.#environment;
    const { finish, loop, state } = this.#options;
    this.#reports.asked({
      instructions: display.rendered.text,
      conversation: state.conversation,
      tools: finish === undefined ? display.tools : [...display.tools, finish.modelTool],
      hostedTools: [],
      toolChoice: loop.toolChoice,
      settings: loop.settings,
      turn,
      ...present({ outputSchema: loop.outputSchema }),
    });
  }

  /** An answer by `finish` is what the model says, not a call. */
  #withoutFinish(content: readonly AssistantPart[]): readonly AssistantPart[] {
    const { finish } = this.#options;
    if (finish === undefined) return content;
    return content.map((part) =>
      part.type === 'tool-call' && part.name === finish.name
        ? { type: 'text', text: finish.textOf(part) }
        : part,
    );
  }

  #endAnswer(): void {
    this.#answer?.complete();
    this.#answer?.end();
    this.#answer = undefined;
  }

  get #timing(): ModelCallTiming {
    const durationMs = this.#environment.clock.now() - this.#askedAtMs;
    return this.#firstPieceMs === undefined
      ? { durationMs }
      : { durationMs, timeToFirstPieceMs: this.#firstPieceMs };
  }

  #emitEnd(
    turn: HarnessTurn,
    { finishReason, responseId, responseModel, usage }: Omit<ModelTurn, 'content'>,
  ): void {
    this.#environment.emit({
      type: 'model-call-end',
      turn: turn.number,
      text: textOf(turn.content),
      toolCalls: turn.calls,
      finishReason,
      ...present({ usage }),
      ...this.#timing,
      ...present({ responseId, responseModel }),
    });
  }

  /** Counts what was taken. @returns reports it. */
  #usageCounter(usage: TokenUsage = {}): () => void {
    const { budget, emit, logger } = this.#environment;
    const { state } = this.#options;
    this.#counted = addTokenUsage(this.#counted, usage);
    state.usage = addTokenUsage(state.usage, usage);
    const exceeded = budget.count(usage, logger);
    return () => {
      const { turn, usage: total } = state;
      emit({ type: 'usage-counted', turn, usage, total });
      for (const excess of exceeded) emit({ type: 'budget-exceeded', turn, ...excess });
    };
  }

  #tooManyTurns(): unknown {
    const { errors, harness, maxTurns } = this.#options;
    const message = `The model of the harness "${harness}" was called ${maxTurns} times and is not done; raise limits.maxTurns if that is intended.`;
    return errors.error('evaluation-turns-exceeded', 'request', message);
  }
}

function textOf(content: readonly AssistantPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
