import { none, wellFormedSaid } from '../../core/internal/index.ts';
import type { ModelTurn, PaidAnswer } from '../../core/runtime/index.ts';
import type { RecordedRequest, ResponseRow } from '../../record/index.ts';
import { recordedResponse, recordedTurn } from '../../record/index.ts';
import { callKey, type RunRows } from '../rows/run-rows.ts';

/**
 * The answers of models that the rows of a run have. Each was paid for once: it counts once, whether a step is answered from it, several are, or
 * none is.
 *
 * @see docs/spec/durable-runs.md §4
 */
export class PaidAnswers {
  readonly #rootId: string;
  readonly #numbers: RunRows['evaluations'];
  readonly #byRow = new Map<ResponseRow, RowAnswer>();
  readonly #byTurn = new WeakMap<ModelTurn, RowAnswer>();
  /** Those of all evaluations inside a call, by the number of the evaluation that made the call, and its key. */
  readonly #inner = new Map<string, RowAnswer[]>();

  constructor({ byNumber, evaluations, header }: Pick<RunRows, 'byNumber' | 'evaluations' | 'header'>) {
    this.#rootId = header.evaluationId;
    this.#numbers = evaluations;
    for (const { description, responses } of byNumber.values()) {
      const answers = responses.map(({ row, request }) => new RowAnswer(row, request));
      for (const answer of answers) this.#byRow.set(answer.row, answer);
      let outer: typeof description | undefined = description;
      while (outer?.type === 'run') {
        const { parent }: typeof outer = outer;
        const place = placeOf(parent.run, parent);
        const inner = this.#inner.get(place) ?? [];
        inner.push(...answers);
        this.#inner.set(place, inner);
        outer = byNumber.get(parent.run ?? 0)?.description;
      }
    }
  }

  /**
   * The answer of a row, which is known to be paid for.
   *
   * @throws what the model failed with.
   */
  turnOf(row: ResponseRow): ModelTurn {
    const answer = this.#byRow.get(row);
    if (answer === undefined) return recordedTurn(recordedResponse(row));
    const { turn } = answer;
    this.#byTurn.set(turn, answer);
    return turn;
  }

  /** What identifies an answer; undefined for one that no row has. */
  of(turn: ModelTurn): PaidAnswer | undefined {
    return this.#byTurn.get(turn);
  }

  /** The answers in evaluations inside a call, in those of attempts that were superseded, too. */
  inner(evaluationId: string, call: Parameters<typeof callKey>[0]): readonly PaidAnswer[] {
    const run = evaluationId === this.#rootId ? 0 : this.#numbers.get(evaluationId);
    return run === undefined ? none : (this.#inner.get(placeOf(run, call)) ?? none);
  }
}

/** The answer of a row. Its turn is one object, by which the answer is known again. */
class RowAnswer implements PaidAnswer {
  readonly row: ResponseRow;
  readonly request: RecordedRequest | undefined;
  #turn: ModelTurn | undefined;

  constructor(row: ResponseRow, request: RecordedRequest | undefined) {
    this.row = row;
    this.request = request;
  }

  get turn(): ModelTurn {
    this.#turn ??= wellFormedSaid(recordedTurn(recordedResponse(this.row)));
    return this.#turn;
  }
}

function placeOf(run: number | undefined, call: Parameters<typeof callKey>[0]): string {
  return `${run ?? 0}/${callKey(call)}`;
}
