import { describeError, OutputParseError } from '../../error/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { FinishReason } from '../../tool/index.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import { findNoAnswer, isClaimed, noAnswer } from '../model/check-turn.ts';
import { runtimeItem } from '../model/conversation-items.ts';
import { CompletionGate, type CompletionSettings } from './completion-gate.ts';
import type { TurnLedger } from './turn-ledger.ts';

/** What a final text was read as. */
export interface ReadAnswer<out Output> {
  readonly output: Output;
  /** The JSON that the model wrote for it; absent for a prompt whose answer is text. */
  readonly json?: JsonValue;
}

/** How answers are read. */
export interface AnswerOptions<out Output> {
  /** Name of the model, for messages. */
  readonly model: string;
  /**
   * Rejects with an `OutputParseError` for a text that is not such an answer. Any other rejection ends the run.
   *
   * @param wasParsed whether the text was written from a value that something else had parsed.
   */
  readonly read: (text: string, wasParsed: boolean) => Promise<ReadAnswer<Output>>;
  /** How many corrections the model may get in one run. */
  readonly maxRepairs: number;
  /** What the model reads of a problem with its answer. Default: the problem, and that it is to answer in JSON. */
  readonly correction?: ((problem: string) => string) | undefined;
}

/** The result of a run that the model ended. */
export interface LoopResult<Output> {
  readonly text: string;
  readonly output: Output;
  /** The JSON that the model wrote for the output; absent when the answer is text. */
  readonly json?: JsonValue;
  readonly finishReason: FinishReason;
}

/** What the model ended a turn without calls with. */
export interface FinalAnswer<Output> {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** What it was read as, where it has been. Default: it is read. */
  readonly read?: ReadAnswer<Output> | undefined;
  /** Whether the turn has outputs beside its text. Default: false. */
  readonly hasOutputs?: boolean;
  /** Whether its text was written from a value that something else had parsed. Default: false. */
  readonly wasParsed?: boolean;
}

/** How a run is concluded. */
export interface ConclusionOptions<Output> {
  readonly answer: AnswerOptions<Output>;
  /** Decides whether the task is done. Default: it is, when the model asks for no call. */
  readonly completion?: CompletionSettings | undefined;
  /** How many turns the run may have. Default: any number. */
  readonly maxTurns?: number | undefined;
}

/** Concludes a run with the answer of its model, unless that has to continue: its answer cannot be read, the task is not done, or there is more to say to it. */
export class Conclusion<Output> {
  readonly #ledger: TurnLedger;
  readonly #answer: AnswerOptions<Output>;
  readonly #completion: CompletionGate | undefined;
  readonly #maxTurns: number;

  constructor({ answer, completion, maxTurns = Infinity }: ConclusionOptions<Output>, ledger: TurnLedger) {
    this.#ledger = ledger;
    this.#maxTurns = maxTurns;
    this.#answer = answer;
    this.#completion = completion && new CompletionGate(completion, ledger);
  }

  /**
   * The result of the run; undefined when the model is to continue. What it continues from is the end of the conversation.
   *
   * @throws {PromptEvaluationError} for an answer that the run must not end with, and when the run is stopped.
   */
  async of({
    text,
    finishReason,
    read: known,
    hasOutputs = false,
    wasParsed = false,
  }: FinalAnswer<Output>): Promise<LoopResult<Output> | undefined> {
    const read = known ?? (await this.#read(text, finishReason, wasParsed));
    if (read === undefined) return undefined;
    const result = { text, ...read, finishReason };
    if (this.#completion !== undefined && !(await this.#completion.isDone(result))) return undefined;
    if (this.#ledger.environment.input !== undefined && (await this.#isAskedMore())) return undefined;
    // A checker has judged an answer that says nothing, too, unless the model did not end it itself.
    if (this.#completion !== undefined && isClaimed(finishReason)) return result;
    const { errors, state } = this.#ledger;
    const empty = findNoAnswer({ text, finishReason, hasOutputs }, state.conversation);
    if (empty !== undefined) throw errors.noAnswer(this.#answer.model, empty);
    return result;
  }

  /** Whether the run continues with something new that was said. What is said to a run without another turn waits: the answer that is there counts. */
  async #isAskedMore(): Promise<boolean> {
    const { budget, input, stop } = this.#ledger.environment;
    const { turn } = this.#ledger.state;
    const arriving = input?.arriving?.(true);
    // A run that is stopped meanwhile has its answer.
    if (arriving !== undefined) await stop.race(arriving).catch(() => undefined);
    const isAffordable = budget.isUnlimited || this.#ledger.unaffordable() === undefined;
    const mayContinue = stop.reason === undefined && turn < this.#maxTurns && isAffordable;
    return input?.hasFor(turn + 1, mayContinue) === true;
  }

  /** Reads a final text; undefined when the model is to answer again. */
  async #read(
    text: string,
    finishReason: FinishReason,
    wasParsed: boolean,
  ): Promise<ReadAnswer<Output> | undefined> {
    const { environment, errors, state } = this.#ledger;
    const { stop, deadline, prompt } = environment;
    try {
      const answer = await stop.race(this.#answer.read(text, wasParsed));
      stop.throwIfStopped(deadline);
      return answer;
    } catch (cause) {
      if (cause instanceof RunStoppedSignal) throw errors.stopped(cause.reason, 'parse');
      if (OutputParseError.isInstance(cause) && isClaimed(finishReason) && this.#sendBack(cause))
        return undefined;
      if (text === '' && isClaimed(finishReason)) {
        throw errors.noAnswer(this.#answer.model, noAnswer(state.conversation, finishReason));
      }
      const why = isClaimed(finishReason)
        ? ''
        : `The model did not end its answer itself (${finishReason}). `;
      const message = `${why}${describeError(cause)} (prompt "${prompt.name}")`;
      throw errors.error('evaluation-output-invalid', 'parse', message, cause);
    }
  }

  /** @returns false when it was sent back as often as it may be. */
  #sendBack({ message: problem }: OutputParseError): boolean {
    const { maxRepairs, correction = askForJson } = this.#answer;
    if (!this.#ledger.rejectOutput(problem, maxRepairs)) return false;
    this.#ledger.state.conversation.push(runtimeItem(correction(problem)));
    return true;
  }
}

function askForJson(problem: string): string {
  return `Your answer was not accepted. ${problem}\n\nAnswer again, with the whole JSON and nothing else.`;
}
