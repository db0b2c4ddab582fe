import { none, type Writable, wellFormedSaid } from '../../core/internal/index.ts';
import {
  type AssistantPart,
  addTokenUsage,
  findTurnFault,
  haltReason,
  type LoopOptions,
  type ModelDelta,
  type ModelTurn,
  RunStoppedSignal,
  readUsage,
  type StreamedAnswer,
  type TokenUsage,
  type TurnLedger,
  tokenCounts,
} from '../../core/runtime/index.ts';
import type { FinishTool } from './finish-tool.ts';
import { HarnessTurn } from './harness-turn.ts';

/** What {@link HarnessTurns} work with. */
export interface HarnessTurnsOptions {
  readonly ledger: TurnLedger;
  readonly loop: Pick<LoopOptions<unknown>, 'maxTurns' | 'outputSchema' | 'settings' | 'toolChoice'>;
  /** Whether the harness reports its turns. Else they are reckoned: what comes after the results of calls is another turn. */
  readonly reportsTurns: boolean;
  readonly finish: FinishTool | undefined;
  /** The turn in which the model gave its answer by `finish`; undefined while it has not. */
  readonly answeredIn: () => number | undefined;
  /** Ends the run with this error. */
  readonly fail: (error: unknown) => void;
}

/**
 * The turns of the model of a harness, as far as they are known: how they are announced, what they took, and the conversation that they make. A turn that the harness does
 * not report begins with what comes of it first, a piece of text or a call.
 */
export class HarnessTurns {
  readonly #options: HarnessTurnsOptions;
  #turn: HarnessTurn | undefined;
  #answer: StreamedAnswer | undefined;
  /** What the harness has reported, evaluations inside calls left out. */
  #counted: TokenUsage = {};

  constructor(options: HarnessTurnsOptions) {
    this.#options = options;
  }

  /** The turn that continues; begins one when none does. @throws {RunStoppedSignal} when the run may have no more. */
  open(): HarnessTurn {
    const turn = this.#turn;
    if (turn === undefined) return this.begin();
    return !this.#options.reportsTurns && turn.isAnswered ? this.begin() : turn;
  }

  /** The model is asked. @throws {RunStoppedSignal} when it must not be: the run ends. */
  begin(): HarnessTurn {
    this.close();
    const { fail, finish, ledger, loop, reportsTurns } = this.#options;
    const { budget, display, stop } = ledger.environment;
    if (reportsTurns && ledger.state.turn >= loop.maxTurns) fail(ledger.tooManyTurns(loop.maxTurns));
    const halt = haltReason(ledger.environment);
    const reason = halt ?? (budget.isUnlimited ? undefined : ledger.unaffordable());
    if (reason !== undefined) {
      stop.stop(reason);
      throw new RunStoppedSignal(reason);
    }
    display.update();
    const request = ledger.begin({
      instructions: display.rendered.text,
      tools: finish === undefined ? display.tools : [...display.tools, finish.modelTool],
      hostedTools: [],
      providerTools: none,
      toolChoice: loop.toolChoice,
      settings: loop.settings,
      outputSchema: loop.outputSchema,
    });
    const turn = new HarnessTurn(request.turn);
    this.#turn = turn;
    this.#answer = ledger.pieces();
    return turn;
  }

  /** A piece of what the model says. @returns what the harness waits for. */
  delta(delta: ModelDelta): Promise<void> | undefined {
    // What comes after the report of a turn belongs to the next one.
    const turn = this.#turn?.isReported === true ? this.begin() : this.open();
    if (turn.isReported) return undefined;
    return this.#answer?.onDelta(delta);
  }

  /** What the model answered. @throws {RunStoppedSignal} when the run ends with it. */
  report(given: ModelTurn): void {
    const answered = wellFormedSaid(given);
    const { fail, ledger } = this.#options;
    const fault = findTurnFault(answered);
    const turn = this.#turn?.isReported === true ? this.begin() : this.open();
    let said = answered;
    if (fault === undefined) {
      turn.report({ ...answered, content: this.#withoutFinish(answered.content) });
      this.#endAnswer();
      said = { ...answered, content: turn.content };
    }
    this.#counted = addTokenUsage(this.#counted, readUsage(answered));
    const unusable = ledger.answered(said, fault);
    if (unusable !== undefined) fail(unusable);
  }

  /** What was taken so far, all turns together: counts what was not reported turn by turn. */
  countTotal(total: TokenUsage): void {
    const rest: Writable<TokenUsage> = {};
    for (const name of tokenCounts) {
      const count: unknown = total[name];
      if (typeof count !== 'number' || !Number.isFinite(count)) continue;
      rest[name] = Math.max(0, count - (this.#counted[name] ?? 0));
    }
    if (!Object.values(rest).some((count) => count > 0)) return;
    this.#counted = addTokenUsage(this.#counted, rest);
    this.#options.ledger.count(rest);
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
    const { answeredIn: findAnswer, ledger } = this.#options;
    const { content, finishReason = turn.calls.length > 0 ? 'tool-calls' : 'stop' } = turn;
    if (!turn.isReported) ledger.announceAnswer({ content, finishReason });
    const answeredIn = findAnswer();
    // What the model says after its answer is not part of it, and a turn of calls of the harness's own tools says nothing.
    const isPart = answeredIn === undefined || turn.number <= answeredIn;
    if (isPart && (isAnswer || content.length > 0)) ledger.state.conversation.push(...turn.items());
    if (!isCut) ledger.end(finishReason, turn.calls.length);
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
}
