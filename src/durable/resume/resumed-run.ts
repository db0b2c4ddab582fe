import { PromptValidationError } from '../../core/error/index.ts';
import { none } from '../../core/internal/index.ts';
import {
  type AttemptName,
  type EvaluationEnvironment,
  type EvaluationPlace,
  type ModelRequest,
  PromptEvaluationError,
  type RecordedHandler,
  type RunEvent,
  type Step,
  type StepKinds,
  type ToolCallResult,
} from '../../core/runtime/index.ts';
import type { IdSource, Session } from '../../core/session/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import type { EndRow } from '../../record/index.ts';
import { callKey, type Decision, type RecordedStateChange, type RunRows } from '../rows/run-rows.ts';
import { landLastCommit } from './land-last-commit.ts';
import { PaidAnswers } from './paid-answers.ts';
import { applyChange, resetState } from './recorded-state.ts';
import { ResumedEvaluation } from './resumed-evaluation.ts';
import type { RowMigration } from './row-migration.ts';
import { approvedStage, isSameCall, stagedHandler } from './staged-call.ts';

/** What a {@link ResumedRun} works with. */
export interface ResumedRunParts {
  readonly runId: string;
  readonly rows: RunRows;
  /** What had to be done so that the rows fit the slices of the session. */
  readonly migration: RowMigration;
  readonly session: Session;
  readonly ids: IdSource;
  /** Whether a run is refused whose prompt, tools or policies are not those of the rows. */
  readonly isStrict: boolean;
}

/**
 * Answers the steps of a run from its rows, those of evaluations inside calls that are entered again included.
 *
 * @see docs/spec/durable-runs.md §4
 */
export class ResumedRun {
  readonly #parts: ResumedRunParts;
  /** The answers of models that the rows have. */
  readonly paid: PaidAnswers;
  readonly #root: ResumedEvaluation;
  readonly #changed: string[];
  #environment: EvaluationEnvironment | undefined;
  #divergence: PromptEvaluationError | undefined;

  constructor(parts: ResumedRunParts) {
    this.#parts = parts;
    this.paid = new PaidAnswers(parts.rows);
    this.#changed = parts.migration.changed.map((name) => `slice ${name}`);
    this.#root = this.#resumed(parts.rows.root, none);
  }

  get evaluationId(): string {
    return this.#parts.rows.header.evaluationId;
  }

  /** How the rows end; undefined when the run was interrupted. */
  get outcome(): EndRow['outcome'] | undefined {
    return this.#parts.rows.end?.outcome;
  }

  /** How many calls were committed. */
  get commits(): number {
    return this.#parts.rows.commits;
  }

  /** The turn of the last decision. */
  get turn(): number {
    return this.#root.rows.decisions.at(-1)?.turn ?? 0;
  }

  /** What is not as it was when the rows were written, by name. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  /** Why the run cannot be resumed; undefined when it can. */
  get divergence(): PromptEvaluationError | undefined {
    return this.#divergence;
  }

  /** Items of the conversation in the last request of the run. */
  get lastLength(): number {
    return this.#root.rows.lastRequest?.length ?? 0;
  }

  /** What the slices of other versions hold when the rows are used up; undefined: there are none. */
  get migrated(): RowMigration['migrated'] {
    return this.#parts.migration.migrated;
  }

  /** Compares what the run begins with to what the rows say. */
  compare({ prompt, toolsHash, policies, model }: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const { header } = this.#parts.rows;
    if (prompt.hash !== header.prompt.hash) this.#changed.push('prompt');
    if (toolsHash !== header.toolsHash) this.#changed.push('tools');
    if (policies.join('\n') !== header.policies.join('\n')) this.#changed.push('policies');
    if (model !== header.model) this.#changed.push('model');
  }

  /** Whether the rows have the request of this turn. */
  hasAsked(turn: number): boolean {
    return this.#root.rows.requestOf(turn) !== undefined;
  }

  /** Compares the request of the last turn that the rows have with what they say of it, whether it is made again or answered from them. */
  compareRequest(request: ModelRequest): void {
    if (request.turn !== this.#root.rows.lastRequest?.turn) return;
    if (!this.#root.isSameRequest(request)) this.#changed.push('request');
  }

  /**
   * The evaluation has begun: session and files become what they were.
   *
   * @throws {PromptValidationError} when the prompt is another one and the run is strict, and when a call that goes on has changed slices of another version.
   */
  async begin(environment: EvaluationEnvironment): Promise<void> {
    const { rows, session, isStrict, runId } = this.#parts;
    this.#environment = environment;
    this.#root.worksOn(environment.roots);
    if (isStrict && this.#changed.length > 0) {
      throw new PromptValidationError(
        `The run "${runId}" was recorded with another ${this.#changed.join(', ')}. Resume it with what it began with, or without strict.`,
        { details: { changed: this.#changed } },
      );
    }
    this.#assertMigrated(environment);
    resetState(session, rows.start);
    this.#apply(rows.changes);
    const landing = landLastCommit(environment.roots.filesystem, runId, rows);
    for (const path of landing?.outside ?? none) this.#changed.push(`file ${path}`);
  }

  /**
   * What the rows say of a step of the root run. Resolves with undefined when they are used up, once all that they say is on the state.
   *
   * @throws {PromptEvaluationError} `evaluation-diverged` when the rows say something else; what the step failed with.
   */
  async answer(step: Step): Promise<StepKinds[keyof StepKinds]['result'] | undefined> {
    const answered = this.#root.answer(step);
    if (answered === undefined) {
      const { next } = this.#root;
      if (next !== undefined) throw this.#diverged(next, `${step.kind} "${step.key}"`);
      await this.#root.leave();
      return undefined;
    }
    const { decision, result } = answered;
    if (decision.kind !== 'call') this.#apply(decision.changes);
    return result;
  }

  /** Whether all that the rows say was asked for. */
  get isUsedUp(): boolean {
    return this.#root.next === undefined;
  }

  /** What was said to the model before a turn when the run was resumed there. */
  inputFor(turn: number): readonly UserItem[] {
    // The reader of rows has checked that each is a message.
    return (this.#parts.rows.inputs.get(turn) ?? none) as unknown as readonly UserItem[];
  }

  /** @throws {PromptEvaluationError} `evaluation-diverged` when the run has ended and its rows go on. */
  assertUsedUp(): void {
    const { next } = this.#root;
    if (next !== undefined) throw this.#diverged(next, 'the end');
  }

  /** Answers for an evaluation inside a call that is entered again; undefined where it is made anew. */
  inner({ key, reenters, path }: EvaluationPlace): ResumedEvaluation | undefined {
    const rows = key === undefined || reenters !== true ? undefined : this.#parts.rows.inner.get(key);
    return rows === undefined ? undefined : this.#resumed(rows, path);
  }

  /** The run itself. */
  get root(): ResumedEvaluation {
    return this.#root;
  }

  /** Whether a call began before the run was interrupted, so that it is not known what became of it. */
  isInDoubt(evaluation: ResumedEvaluation | undefined, call: AttemptName): boolean {
    if (evaluation?.rows.begun.has(callKey(call)) !== true) return false;
    // What it did waits for its commit, unless that has failed.
    return call.attempt > 1 || approvedStage(this.#parts.rows, evaluation.rows, call) === undefined;
  }

  /** What takes the place of a handler whose changes were approved; undefined: it runs. */
  handlerFor(
    evaluation: ResumedEvaluation | undefined,
    call: AttemptName,
    params: unknown,
  ): RecordedHandler | undefined {
    const { rows } = this.#parts;
    if (evaluation === undefined || call.attempt > 1) return undefined;
    const question = approvedStage(rows, evaluation.rows, call);
    // An evaluation inside a call may have gone on from here with another call of this id.
    if (question === undefined || !isSameCall(question, call, params)) return undefined;
    return stagedHandler(question, rows.blobs, evaluation.rows.begun.has(callKey(call)));
  }

  /** A call of the run itself that was answered is on the state. */
  takenOver(result: ToolCallResult): void {
    const decision = this.#root.takenOver(result);
    if (decision !== undefined) this.#apply(decision.changes);
  }

  #resumed(rows: RunRows['root'], path: readonly string[]): ResumedEvaluation {
    const { header, blobs } = this.#parts.rows;
    return new ResumedEvaluation(rows, {
      header,
      blobs,
      path,
      paid: this.paid,
      ids: this.#parts.ids,
      adapter: () => this.#environment?.origin.adapter ?? header.adapter,
    });
  }

  /** What a call has done that is entered again is on its own state, which is not migrated. */
  #assertMigrated({ display }: EvaluationEnvironment): void {
    const { migration, rows, runId } = this.#parts;
    for (const { call, slices } of migration.inner) {
      const toolName = rows.root.toolNameOf(call) ?? '';
      if (display.rendered.boundTools.get(toolName)?.tool.reenters !== true) continue;
      throw new PromptValidationError(
        `The run "${runId}" was interrupted in its call "${call.callId}" of "${toolName}", which goes on and has changed slices that have another version now: ${slices.join(', ')}. Resume it with the version that it began with until the call has ended.`,
        { details: { callId: call.callId, slices } },
      );
    }
  }

  /** Applies what others changed. */
  #apply(changes: readonly RecordedStateChange[]): void {
    const { session } = this.#parts;
    for (const change of changes) applyChange(session, change);
    this.#environment?.reporter?.skipChanges();
  }

  /** @param asked what the run asks for instead. */
  #diverged(decision: Decision, asked: string): PromptEvaluationError {
    const { runId } = this.#parts;
    const recorded = nameOf(decision);
    this.#divergence = new PromptEvaluationError(
      'evaluation-diverged',
      `The run "${runId}" cannot be resumed: it asks for ${asked}, and its rows have ${recorded} of turn ${decision.turn} there. Resume it with the options, the input and the prompt that it began with.`,
      { phase: 'request', promptName: this.#parts.rows.header.promptName, details: { turn: decision.turn } },
    );
    return this.#divergence;
  }
}

function nameOf(decision: Decision): string {
  switch (decision.kind) {
    case 'call':
      return `the call "${decision.callId}"`;
    case 'response':
      return 'an answer of the model';
    case 'event':
      return decision.row.event.type === 'completion-checked'
        ? 'a completion check'
        : 'an answer to the provider';
  }
}
