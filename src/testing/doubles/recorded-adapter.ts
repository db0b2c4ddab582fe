import { assertOptions, RecordError } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ModelRequest, ModelTurn } from '../../core/runtime/index.ts';
import { providerAdapter } from '../../providers/kit/index.ts';
import type { RecordedRequest, RecordedTurn, RunRecord } from '../../record/index.ts';
import { pathOf, recordedTurn, requestDifferences } from '../../record/index.ts';

/** Options of {@link recordedAdapter}. */
export interface RecordedAdapterOptions {
  /** Of a run with the model whose answers are wanted, such as `readRunRecord` returns. */
  readonly record: RunRecord;
  /** True when the recorded model got the examples of tools over the wire, as those of `anthropic()` do. Default: false. */
  readonly takesExamples?: boolean;
}

/** An adapter that answers from a record. */
export interface RecordedAdapter extends ProviderAdapter {
  /**
   * Checks that every recorded answer was used.
   *
   * @throws {RecordError} `record-replay-incomplete`, naming the first request that was not made.
   */
  assertComplete(): void;
}

/**
 * An adapter whose model gives the answers of a recorded run: to the very same requests, also those of evaluations inside calls. There is nothing
 * between the same request and another one: a request that the record does not have ends the run with a `RecordError` (`record-request-missing`) that
 * names the first difference from the most similar recorded one.
 *
 * Each answer is used once; when the same request is made again after that, as by a call that is repeated, the last such answer is given again. A request
 * that the recorded model failed to answer fails again.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/replay.md §2
 */
export function recordedAdapter(options: RecordedAdapterOptions): RecordedAdapter {
  assertOptions('recordedAdapter()', options, { takesExamples: 'boolean', record: 'object!' });
  const { record, takesExamples = false } = options;
  const answers = new RecordedAnswers(record);
  const { root } = record;
  const adapter = providerAdapter({
    name: root.adapter,
    model: {
      name: root.adapter,
      model: root.model,
      ...present({ provider: root.provider, prices: root.prices }),
      takesExamples,
      takesOutputSchema: takesOutputSchema(root.turns[0]?.request),
      generate: (request) => answers.answer(request),
    },
  });
  return Object.freeze({ ...adapter, assertComplete: () => answers.assertComplete() });
}

/** A model that gets the schema over the wire does not get it in the instructions, which then do not end with its JSON. */
function takesOutputSchema(request: RecordedRequest | undefined): boolean {
  return (
    request?.outputSchema !== undefined &&
    !request.instructions.includes(JSON.stringify(request.outputSchema))
  );
}

/** A recorded request that has an answer. */
interface AnsweredTurn {
  readonly turn: RecordedTurn;
  readonly request: RecordedRequest;
  isUsed: boolean;
}

class RecordedAnswers {
  readonly #turns: readonly AnsweredTurn[];

  constructor(record: RunRecord) {
    this.#turns = record.turns.flatMap((turn) =>
      turn.request === undefined || turn.response === undefined
        ? []
        : [{ turn, request: turn.request, isUsed: false }],
    );
  }

  answer(request: ModelRequest): ModelTurn {
    const sameLength = this.#turns.filter(
      (each) => each.request.conversation.length === request.conversation.length,
    );
    const same = sameLength.filter((each) => requestDifferences(each.request, request).length === 0);
    const found = same.find(({ isUsed }) => !isUsed) ?? same.at(-1);
    if (found?.turn.response === undefined) throw this.#missing(request);
    found.isUsed = true;
    // One model answers for all that the run had.
    const { answeredBy: _answeredBy, ...turn } = recordedTurn(found.turn.response);
    return turn;
  }

  assertComplete(): void {
    // What a repeated call evaluated in its earlier attempts need not happen again.
    const unused = this.#turns.filter(({ isUsed, turn }) => !isUsed && isOfLastAttempt(turn));
    const [first] = unused;
    if (first === undefined) return;
    throw new RecordError(
      'record-replay-incomplete',
      `${unused.length} of ${this.#turns.length} recorded answers were not asked for, the first one that of ${describeTurn(first.turn)}.`,
      { details: { unused: unused.length } },
    );
  }

  #missing(request: ModelRequest): RecordError {
    const nearest = this.#turns
      .map((each) => ({ each, differences: requestDifferences(each.request, request) }))
      .sort(
        (left, right) =>
          distanceOf(left.differences, left.each, request) -
          distanceOf(right.differences, right.each, request),
      )[0];
    const why =
      nearest === undefined
        ? 'The record has no answers at all.'
        : `Most like it is ${describeTurn(nearest.each.turn)}. ${nearest.differences[0]?.text ?? ''}`;
    return new RecordError(
      'record-request-missing',
      `The record does not have the request of turn ${request.turn}. ${why} Record the run again if the change is intended.`,
      { details: { turn: request.turn } },
    );
  }
}

/** How unlike a recorded request is: a request of another prompt first, then one of another turn, then by where the conversations part. */
function distanceOf(
  differences: ReturnType<typeof requestDifferences>,
  { turn, isUsed }: AnsweredTurn,
  request: ModelRequest,
): number {
  const parts = new Set(differences.map(({ part }) => part));
  const conversation = differences.find(({ part }) => part === 'conversation');
  return (
    (parts.has('instructions') ? 4_000_000 : 0) +
    (parts.has('tools') ? 2_000_000 : 0) +
    (turn.number === request.turn ? 0 : 1_000_000) +
    (isUsed ? 500_000 : 0) +
    (conversation === undefined ? 0 : 100_000 - Math.min(99_999, conversation.index ?? 0))
  );
}

function isOfLastAttempt({ run: { parent } }: RecordedTurn): boolean {
  return parent === undefined || parent.attempt === parent.call.attempts.at(-1)?.number;
}

function describeTurn({ run, number }: RecordedTurn): string {
  const path = pathOf(run);
  return path.length === 0 ? `turn ${number}` : `turn ${number} inside ${path.join('/')}`;
}
