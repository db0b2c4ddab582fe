import type { FilePatch, FileRead, FilesystemFork } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type {
  ModelRequest,
  Step,
  StepKinds,
  ToolCallResult,
  TransactionRoots,
} from '../../core/runtime/index.ts';
import {
  type IdSource,
  isSessionRead,
  type SessionFork,
  type SessionRead,
} from '../../core/session/index.ts';
import { filePatch, type HeaderRow, patchFor, requestDifferences } from '../../record/index.ts';
import {
  type CallDecision,
  callKey,
  changesOfRow,
  type Decision,
  type EvaluationRows,
  type RunRows,
} from '../rows/run-rows.ts';
import type { PaidAnswers } from './paid-answers.ts';
import { resumedCall } from './resumed-call.ts';
import { findsTheSame } from './staged-call.ts';

/** What answers are made from. */
export interface ResumedEvaluationParts {
  readonly header: HeaderRow;
  readonly blobs: RunRows['blobs'];
  readonly paid: PaidAnswers;
  readonly ids: IdSource;
  /** Name of the adapter. */
  readonly adapter: () => string;
  /** Ids of the calls around the evaluation, outermost first; empty for the run itself. */
  readonly path: readonly string[];
}

/** Answers the steps of one evaluation from its rows, in their order, until they are used up. */
export class ResumedEvaluation {
  readonly rows: EvaluationRows;
  readonly #parts: ResumedEvaluationParts;
  readonly #taken = new Map<string, CallDecision>();
  #next = 0;
  #isLeft = false;
  /** Calls that were answered and are not on the state yet. */
  #untaken = 0;
  #onAllTaken: (() => void)[] = [];
  /** What an evaluation inside a call works on as it is once all calls that were answered are on the state. */
  #session: SessionFork | undefined;
  /** The same of the files, where those of calls have to be made again. */
  #files: FilesystemFork | undefined;

  constructor(rows: EvaluationRows, parts: ResumedEvaluationParts) {
    this.rows = rows;
    this.#parts = parts;
  }

  /** What its calls fork from. */
  worksOn({ filesystem, session }: TransactionRoots): void {
    if (this.#parts.path.length > 0) this.#session = session.fork();
    // A disk has kept the files of the run itself.
    if (this.#session !== undefined || filesystem?.stage === undefined) this.#files = filesystem?.fork();
  }

  /** False once a step was not answered. */
  get isResuming(): boolean {
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
    this.#files?.dispose();
    if (this.#untaken > 0) await new Promise<void>((resolve) => this.#onAllTaken.push(resolve));
  }

  /** The name of the model that the evaluation was with in a turn; undefined where it had not left the first one, and once steps are done. */
  modelOf(turn: number): string | undefined {
    return this.#isLeft ? undefined : this.rows.modelOf(turn);
  }

  /** Whether the model would read the same in the turn of this request. */
  isSameRequest(request: ModelRequest): boolean {
    const recorded = this.rows.requestOf(request.turn);
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
        if (!this.#holds(decision)) return undefined;
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
        return () => ({ approved, ...present({ reason }) });
      }
    }
  }

  /**
   * Whether a call would do the same now, so that it need not be made again: all that it had read is still so. Doing the reads again makes the call around
   * it one that has read this, too. What has happened outside has happened.
   */
  #holds({ row: { effects, reads } }: CallDecision): boolean {
    const session = this.#session;
    if (session === undefined || effects === 'external') return true;
    const readAgain = (read: FileRead | SessionRead): string | undefined =>
      isSessionRead(read) ? session.readAgain(read) : this.#files?.readAgain?.(read);
    return reads.every((read) => findsTheSame(read, readAgain));
  }

  /** What makes the files of a call again; `changed` when what they replace is not as it was. Undefined: they are there. */
  #filesOf({ row }: CallDecision): FilePatch | 'changed' | undefined {
    const { blobs, header } = this.#parts;
    if (row.type !== 'commit' || row.files.length === 0 || this.#files === undefined) return undefined;
    const changes = changesOfRow(row, blobs);
    const options = { atMs: header.startedAtMs + row.phases.settledAtMs };
    const patch = patchFor(this.#files.view, changes, options);
    // What others have changed meanwhile is not overwritten on the disk.
    if (patch === undefined && this.#session === undefined) return filePatch(changes, options);
    return patch ?? 'changed';
  }

  #call(decision: CallDecision, files: FilePatch | undefined): ToolCallResult {
    const { adapter, blobs, header, ids, path } = this.#parts;
    this.#taken.set(callKey(decision), decision);
    this.#untaken += 1;
    const result = resumedCall({
      header,
      blobs,
      path,
      evaluation: this.rows.description,
      row: decision.row,
      delivered: decision.delivered,
      adapter: adapter(),
      newId: ids,
      files,
    });
    if (result.patch !== undefined) this.#session?.apply(result.patch.session);
    if (files !== undefined) this.#files?.view.apply(files);
    return result;
  }
}
