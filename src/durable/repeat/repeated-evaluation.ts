import type { FilePatch, Filesystem } from '../../filesystem/index.ts';
import type { HeaderRow } from '../../record/index.ts';
import { requestDifferences } from '../../record/internal.ts';
import type { ModelRequest, Step, StepKinds, ToolCallResult } from '../../runtime/index.ts';
import type { IdSource } from '../../session/index.ts';
import {
  type CallDecision,
  callKey,
  type Decision,
  type EvaluationRows,
  type RunRows,
} from '../rows/run-rows.ts';
import { landableChanges } from './land-last-commit.ts';
import type { PaidAnswers } from './paid-answers.ts';
import { filePatch, repeatedCall } from './repeated-call.ts';

/** What answers are made from. */
export interface RepeatedEvaluationParts {
  readonly header: HeaderRow;
  readonly blobs: RunRows['blobs'];
  readonly paid: PaidAnswers;
  readonly ids: IdSource;
  /** Name of the adapter. */
  readonly adapter: () => string;
  /** Whether files of calls have to be made again: those of a disk are there. */
  readonly appliesFiles: () => boolean;
  /** Ids of the calls around the evaluation, outermost first; empty for the run itself. */
  readonly path: readonly string[];
}

/** Answers the steps of one evaluation from its rows, in their order, until they are used up. */
export class RepeatedEvaluation {
  readonly rows: EvaluationRows;
  readonly #parts: RepeatedEvaluationParts;
  readonly #taken = new Map<string, CallDecision>();
  #next = 0;
  #isLeft = false;
  /** Calls that were answered and are not on the state yet. */
  #untaken = 0;
  #onAllTaken: (() => void)[] = [];
  /** The files as they are once all calls that were answered are on the state; undefined for files in memory, and for those of the run itself. */
  #files: Filesystem | undefined;

  constructor(rows: EvaluationRows, parts: RepeatedEvaluationParts) {
    this.rows = rows;
    this.#parts = parts;
  }

  /** The evaluation is inside a call: what its calls fork from. */
  worksOn(filesystem: Filesystem | undefined): void {
    if (filesystem?.['~patchOf'] !== undefined) this.#files = filesystem.fork().view;
  }

  /** False once a step was not answered. */
  get isRepeating(): boolean {
    return !this.#isLeft;
  }

  /** The decision that comes next; undefined when there is none. */
  get next(): Decision | undefined {
    return this.#isLeft ? undefined : this.rows.decisions[this.#next];
  }

  /**
   * What the next decision says of a step; undefined when it is about something else, or there is none.
   *
   * @throws what the step failed with.
   */
  answer(
    step: Step,
  ): { readonly decision: Decision; readonly result: StepKinds[keyof StepKinds]['result'] } | undefined {
    const decision = this.next;
    if (decision === undefined) return undefined;
    const make = this.#answerFor(decision, step);
    if (make === undefined) return undefined;
    this.#next += 1;
    return { decision, result: make() };
  }

  /** From here on steps are done. Resolves when all calls that were answered are on the state. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    if (this.#untaken > 0) await new Promise<void>((resolve) => this.#onAllTaken.push(resolve));
  }

  /** Whether the model would read the same in the turn of this request. */
  isSameRequest(request: ModelRequest): boolean {
    const recorded = this.rows.requests.get(request.turn);
    return recorded !== undefined && requestDifferences(recorded, request).length === 0;
  }

  /** A call that was answered is on the state. @returns what was decided of it; undefined for another call. */
  takenOver({ invocation }: ToolCallResult): CallDecision | undefined {
    const key = callKey(invocation);
    const decision = this.#taken.get(key);
    if (decision === undefined) return undefined;
    this.#taken.delete(key);
    this.#untaken -= 1;
    if (this.#untaken === 0) {
      for (const resolve of this.#onAllTaken) resolve();
      this.#onAllTaken = [];
    }
    return decision;
  }

  #answerFor(
    decision: Decision,
    { kind, input }: Step,
  ): (() => StepKinds[keyof StepKinds]['result']) | undefined {
    if (decision.turn !== input.turn) return undefined;
    switch (decision.kind) {
      case 'response':
        return kind === 'model-call' ? () => this.#parts.paid.turnOf(decision.row) : undefined;
      case 'call': {
        if (kind !== 'tool-call' || !('callId' in input) || input.callId !== decision.callId)
          return undefined;
        const files = this.#filesOf(decision);
        return files === 'changed' ? undefined : () => this.#call(decision, files);
      }
      case 'event': {
        const { event } = decision.row;
        if (event.type === 'completion-checked' && kind === 'completion-check') {
          const { outcome, feedback = '' } = event;
          return () => (outcome === 'complete' ? { outcome } : { outcome, feedback });
        }
        if (event.type !== 'hosted-approval-answered' || kind !== 'remote-approval') return undefined;
        const { approved, reason } = event;
        return () => ({ approved, ...(reason === undefined ? {} : { reason }) });
      }
    }
  }

  /** What makes the files of a call again; `changed` when what they replace is not as it was. Undefined: they are there. */
  #filesOf({ row }: CallDecision): FilePatch | 'changed' | undefined {
    const { appliesFiles, blobs, header } = this.#parts;
    if (row.type !== 'commit' || row.files.length === 0 || !appliesFiles()) return undefined;
    if (this.#files === undefined) return filePatch(row, { blobs, header });
    const patch = this.#files['~patchOf']?.(landableChanges(row, blobs));
    if (patch === undefined) return 'changed';
    this.#files.apply(patch);
    return patch;
  }

  #call(decision: CallDecision, files: FilePatch | undefined): ToolCallResult {
    const { adapter, blobs, header, ids, path } = this.#parts;
    this.#taken.set(callKey(decision), decision);
    this.#untaken += 1;
    return repeatedCall({
      ...{ header, blobs, path },
      evaluation: this.rows.description,
      row: decision.row,
      delivered: decision.delivered,
      adapter: adapter(),
      newId: ids,
      files,
    });
  }
}
