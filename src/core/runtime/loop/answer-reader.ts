import { describeError, OutputParseError } from '../../error/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { FinishReason } from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { RunStoppedSignal } from '../limits/run-stop.ts';
import { isClaimed, noAnswer } from '../model/check-turn.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { RunErrors } from './run-errors.ts';

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
  /** Rejects with an `OutputParseError` for a text that is not such an answer. Any other rejection ends the run. */
  readonly read: (text: string) => Promise<ReadAnswer<Output>>;
  /** How many corrections the model may get in one run. */
  readonly maxRepairs: number;
  /** What the model reads of a problem with its answer. Default: the problem, and that it is to answer in JSON. */
  readonly correction?: ((problem: string) => string) | undefined;
}

/** Reads the answers of one run. A model whose answer cannot be read gets the reason and another request. */
export class AnswerReader<Output> {
  readonly #options: AnswerOptions<Output>;
  readonly #environment: EvaluationEnvironment;
  readonly #state: LoopState;
  readonly #errors: RunErrors;

  constructor(
    options: AnswerOptions<Output>,
    environment: EvaluationEnvironment,
    run: { readonly state: LoopState; readonly errors: RunErrors },
  ) {
    this.#options = options;
    this.#environment = environment;
    this.#state = run.state;
    this.#errors = run.errors;
  }

  /**
   * Reads a final text; undefined when the model is to answer again.
   * @throws {PromptEvaluationError} phase `parse`; phase `response` for a text that is empty.
   */
  async read(text: string, finishReason: FinishReason): Promise<ReadAnswer<Output> | undefined> {
    const { stop, deadline, prompt } = this.#environment;
    try {
      const answer = await stop.race(this.#options.read(text));
      stop.throwIfStopped(deadline);
      return answer;
    } catch (cause) {
      if (cause instanceof RunStoppedSignal) throw this.#errors.stopped(cause.reason, 'parse');
      if (OutputParseError.isInstance(cause) && isClaimed(finishReason) && this.#sendBack(cause))
        return undefined;
      if (text === '' && isClaimed(finishReason)) {
        throw this.#errors.noAnswer(this.#options.model, noAnswer(this.#state.conversation, finishReason));
      }
      const why = isClaimed(finishReason)
        ? ''
        : `The model did not end its answer itself (${finishReason}). `;
      const message = `${why}${describeError(cause)} (prompt "${prompt.name}")`;
      throw this.#errors.error('evaluation-output-invalid', 'parse', message, cause);
    }
  }

  /** @returns false when it was sent back as often as it may be. */
  #sendBack({ message: problem }: OutputParseError): boolean {
    const { maxRepairs, correction = askForJson } = this.#options;
    if (this.#state.outputRepairs >= maxRepairs) return false;
    this.#state.outputRepairs += 1;
    const repair = this.#state.outputRepairs;
    this.#environment.emit({ type: 'output-rejected', turn: this.#state.turn, repair, problem });
    this.#state.conversation.push({ type: 'user', content: [{ type: 'text', text: correction(problem) }] });
    return true;
  }
}

function askForJson(problem: string): string {
  return `Your answer was not accepted. ${problem}\n\nAnswer again, with the whole JSON and nothing else.`;
}
