import { PromptValidationError } from '../../core/error/index.ts';
import { none, ownMember } from '../../core/internal/index.ts';
import {
  type AttemptName,
  type EvaluationEnvironment,
  type EvaluationPlace,
  FeedbackState,
  type MadeCompaction,
  type ModelRequest,
  PromptEvaluationError,
  type RecordedHandler,
  type RunEvent,
  type Step,
  type StepKinds,
  type ToolCallResult,
} from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { IdSource, Session } from '../../core/session/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import { sessionPatch } from '../../record/index.ts';
import { callKey, type Decision, type RecordedStateChange, type RunRows } from '../rows/run-rows.ts';
import { type ResumedFiles, settleFiles } from './files-of-run.ts';
import { PaidAnswers } from './paid-answers.ts';
import { ResumedEvaluation } from './resumed-evaluation.ts';
import type { RowMigration } from './row-migration.ts';
import { approvedStage, isSameCall, stagedHandler } from './staged-call.ts';

/** What a {@link ResumedRun} works with. */
export interface ResumedRunParts {
  readonly rows: RunRows;
  /** What had to be done so that the rows fit the slices of the session. */
  readonly migration: RowMigration;
  readonly session: Session;
  readonly ids: IdSource;
  /** Whether a run is refused whose prompt, tools or policies are not those of the rows. */
  readonly isStrict: boolean;
  /** What to do about a folder that is not as the rows left it; undefined: nothing is compared. */
  readonly files: ResumedFiles | undefined;
  /** How often the process may end while a call runs. */
  readonly maxInterruptions: number;
}

/**
 * Answers the steps of a run from its rows, those of evaluations inside calls that are entered again included.
 *
 * @see docs/spec/durable-runs.md §4
 */
export class ResumedRun {
  readonly rows: RunRows;
  /** What the slices of other versions hold when the rows are used up; undefined: there are none. */
  readonly migrated: RowMigration['migrated'];
  /** The answers of models that the rows have. */
  readonly paid: PaidAnswers;
  readonly #parts: ResumedRunParts;
  readonly #root: ResumedEvaluation;
  /** Evaluations inside calls that were entered again, by their ids. */
  readonly #inner = new Map<string, ResumedEvaluation>();
  readonly #changed: string[];
  #unmute: (() => void) | undefined;
  #environment: EvaluationEnvironment | undefined;
  #divergence: PromptEvaluationError | undefined;
  #hasGoneOn = false;
  #said: { readonly turn: number; readonly items: number } | undefined;

  constructor(parts: ResumedRunParts) {
    const { migration, rows } = parts;
    this.#parts = parts;
    this.rows = rows;
    this.migrated = migration.migrated;
    this.paid = new PaidAnswers(rows);
    this.#changed = migration.changed.map((name) => `slice ${name}`);
    this.#root = this.#resumed(rows.root, none);
  }

  /** Until the run continues, the session does not tell subscribers what they know. */
  mute(): void {
    this.#unmute = this.#parts.session.mute();
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

  /** The id that an evaluation had; undefined for one inside a call that is made anew. */
  evaluationId({ key, reenters, path }: EvaluationPlace): string | undefined {
    if (path.length === 0) return this.rows.header.evaluationId;
    const rows = key === undefined || reenters !== true ? undefined : this.rows.inner.get(key);
    if (rows === undefined) return undefined;
    const { evaluationId } = rows.description;
    this.#inner.set(evaluationId, this.#resumed(rows, path));
    return evaluationId;
  }

  /** The answers of an evaluation that is resumed, or was; undefined for one that was never interrupted. */
  at(evaluationId: string): ResumedEvaluation | undefined {
    return evaluationId === this.rows.header.evaluationId ? this.#root : this.#inner.get(evaluationId);
  }

  /** Whether steps of an evaluation are answered. */
  isResuming(evaluationId: string): boolean {
    const evaluation = this.at(evaluationId);
    return evaluation === this.#root ? this.#unmute !== undefined : evaluation?.isResuming === true;
  }

  /** What became of the conversation of an evaluation before a turn; see {@link EarlierCalls}. */
  compactionBefore(evaluationId: string, turn: number): MadeCompaction | 'none' | undefined {
    const evaluation = this.isResuming(evaluationId) ? this.at(evaluationId) : undefined;
    if (evaluation === undefined) return undefined;
    return evaluation.rows.compactions.get(turn) ?? (evaluation.next === undefined ? undefined : 'none');
  }

  /** Whether the run has gone on from its rows. */
  get hasGoneOn(): boolean {
    return this.#hasGoneOn;
  }

  /** The run continues. @returns false when it did so before. */
  goOn(): boolean {
    const goesOn = this.#unmute !== undefined;
    this.#hasGoneOn ||= goesOn;
    this.release();
    return goesOn;
  }

  /** The run continues, or has ended: the session belongs to its caller again. */
  release(): void {
    this.#unmute?.();
    this.#unmute = undefined;
  }

  /** Compares what the run begins with to what the rows say. */
  compare(start: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const { prompt, toolsHash, policies, model, models, sources = {} } = start;
    const { header } = this.rows;
    if (prompt.hash !== header.prompt.hash) this.#changed.push('prompt');
    if (toolsHash !== header.toolsHash) this.#changed.push('tools');
    if (policies.join('\n') !== header.policies.join('\n')) this.#changed.push('policies');
    const namesOf = (list: typeof models): string | undefined => list?.map(({ name }) => name).join('\n');
    const isOther = header.models !== undefined && namesOf(models) !== namesOf(header.models);
    if (model !== header.model || isOther) this.#changed.push('model');
    const { sources: before = {} } = header;
    for (const name of new Set([...Object.keys(before), ...Object.keys(sources)]))
      if (ownMember(before, name) !== ownMember(sources, name)) this.#changed.push(name);
  }

  /** What a slice held when the run began. */
  atStart(slice: string): readonly JsonValue[] {
    const items: JsonValue[] = [];
    for (const write of this.rows.start?.writes ?? none) {
      if (write.slice !== slice) continue;
      if (write.op === 'clear') items.length = 0;
      else if (write.op === 'append') items.push(...write.items);
    }
    return items;
  }

  /**
   * The evaluation has begun: session and files become what they were.
   *
   * @throws {PromptValidationError} when the prompt is another one and the run is strict, and when a call that continues has changed slices of another version.
   */
  async begin(environment: EvaluationEnvironment): Promise<void> {
    const { rows, session, isStrict, files } = this.#parts;
    const { runId } = rows.header;
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
    for (const path of settleFiles(environment.roots.filesystem, rows, files))
      this.#changed.push(`file ${path}`);
  }

  /**
   * What the rows say of a step of an evaluation. Resolves with undefined when they are used up, once all that they say is on the state.
   *
   * @throws {PromptEvaluationError} `evaluation-diverged` when the rows of the run itself say something else; what the step failed with.
   */
  async answer(evaluationId: string, step: Step): Promise<StepKinds[keyof StepKinds]['result'] | undefined> {
    const evaluation = this.at(evaluationId);
    const isRoot = evaluation === this.#root;
    // What the model is asked inside a call must be what it was asked: the call may have read something else.
    const isAnother =
      step.kind === 'model-call' && !this.#isSameRequest(evaluation, step.input as ModelRequest);
    const answered = isAnother && !isRoot ? undefined : evaluation?.answer(step);
    if (answered === undefined) {
      const { next } = this.#root;
      if (isRoot && next !== undefined) throw this.#diverged(next, `${step.kind} "${step.key}"`);
      await evaluation?.leave();
      return undefined;
    }
    const { decision, result } = answered;
    if (isRoot && decision.kind !== 'call') this.#apply(decision.changes);
    return result;
  }

  /** Compares a request with what the rows say of it, whether it is made again or answered from them; of the run itself the last one. */
  #isSameRequest(evaluation: ResumedEvaluation | undefined, request: ModelRequest): boolean {
    const isRoot = evaluation === this.#root;
    if (isRoot && request.turn !== this.#root.rows.lastRequest?.turn) return true;
    const isSame = evaluation?.isSameRequest(isRoot ? this.#unsaid(request) : request) === true;
    if (isRoot && !isSame) this.#changed.push('request');
    return isSame;
  }

  /** A request without what was said to the model meanwhile, which changes nothing of what was there. */
  #unsaid(request: ModelRequest): ModelRequest {
    if (request.turn !== this.#said?.turn) return request;
    return { ...request, conversation: request.conversation.slice(0, -this.#said.items) };
  }

  /** Whether all that the rows say was asked for. */
  get isUsedUp(): boolean {
    return this.#root.next === undefined;
  }

  /** What was said to the model before a turn when the run was resumed there. */
  inputFor(turn: number): readonly UserItem[] {
    // The reader of rows has checked that each is a message.
    return (this.rows.inputs.get(turn) ?? none) as unknown as readonly UserItem[];
  }

  /** So many items were said to the model before a turn that its rows do not have there. */
  says(turn: number, items: number): void {
    this.#said = { turn, items };
  }

  /** @throws {PromptEvaluationError} `evaluation-diverged` when the run has ended and its rows continue. */
  assertUsedUp(): void {
    const { next } = this.#root;
    if (next !== undefined) throw this.#diverged(next, 'the end');
  }

  /** Whether a call began before the run was interrupted, so that it is not known what became of it. */
  isInDoubt(call: AttemptName): boolean {
    const evaluation = this.at(call.evaluationId);
    if (evaluation?.rows.begun.has(callKey(call)) !== true) return false;
    // What it did waits for its commit, unless that has failed.
    return call.attempt > 1 || approvedStage(this.rows, evaluation.rows, call) === undefined;
  }

  /** Whether the run was interrupted in the turn of a call, so that its beginning is a row. */
  wasInterrupted({ evaluationId, turn }: AttemptName): boolean {
    return this.at(evaluationId)?.rows.interruptions.isTracked(turn) === true;
  }

  /** Whether a call runs while no other one of its evaluation does. */
  runsAlone(evaluationId: string, turn: number, reenters: boolean): boolean {
    return this.at(evaluationId)?.rows.interruptions.runsAlone(turn, reenters) === true;
  }

  /** How often the process has ended while a call ran, when that is too often. */
  tooManyInterruptions(call: AttemptName, reenters: boolean): number | undefined {
    const { turn, evaluationId } = call;
    const count = this.at(evaluationId)?.rows.interruptions.of(turn, callKey(call), reenters) ?? 0;
    return count < this.#parts.maxInterruptions ? undefined : count;
  }

  /** What takes the place of a handler whose changes were approved; undefined: it runs. */
  handlerFor(evaluationId: string, call: AttemptName, params: unknown): RecordedHandler | undefined {
    const evaluation = this.at(evaluationId);
    if (evaluation === undefined || call.attempt > 1) return undefined;
    const question = approvedStage(this.rows, evaluation.rows, call);
    // An evaluation inside a call may have gone on from here with another call of this id.
    if (question === undefined || !isSameCall(question, call, params)) return undefined;
    return stagedHandler(question, this.rows.blobs, evaluation.rows.begun.has(callKey(call)));
  }

  /** A call that was answered is on the state. */
  takenOver(result: ToolCallResult): void {
    const evaluation = this.at(result.invocation.evaluationId);
    const decision = evaluation?.takenOver(result);
    if (decision !== undefined && evaluation === this.#root) this.#apply(decision.changes);
  }

  #resumed(rows: RunRows['root'], path: readonly string[]): ResumedEvaluation {
    const { header, blobs } = this.rows;
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
    const { migration, rows } = this.#parts;
    const { runId } = rows.header;
    for (const { call, slices } of migration.inner) {
      const toolName = rows.root.toolNameOf(call) ?? '';
      if (display.rendered.boundTools.get(toolName)?.tool.reenters !== true) continue;
      throw new PromptValidationError(
        `The run "${runId}" was interrupted in its call "${call.callId}" of "${toolName}", which continues and has changed slices that have another version now: ${slices.join(', ')}. Resume it with the version that it began with until the call has ended.`,
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
    const { runId, promptName } = this.rows.header;
    const recorded = nameOf(decision);
    this.#divergence = new PromptEvaluationError(
      'evaluation-diverged',
      `The run "${runId}" cannot be resumed: it asks for ${asked}, and its rows have ${recorded} of turn ${decision.turn} there. Resume it with the options, the input and the prompt that it began with.`,
      { phase: 'request', promptName, details: { turn: decision.turn } },
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

type Steps = Pick<RecordedStateChange, 'writes' | 'log'>;

/** Makes STATE what it was at the start; slices that the session does not know are left out. */
export function resetState(session: Session, start: Steps | undefined): void {
  const held = session.observe(0);
  const written = new Set(held.writes.map(({ slice }) => slice));
  for (const slice of written) {
    session.applyQuietly({
      operations: [{ op: 'clear', slice }],
      log: [],
      events: [],
    });
  }
  if (start === undefined) return;
  const logged = new Set(held.log.map(({ slice }) => slice));
  const log = start.log.filter(({ slice }) => !logged.has(slice));
  applyKnown(session, { writes: start.writes, log });
}

/** Applies what others changed during a run, but for what a resumed run counts itself. */
function applyChange(session: Session, { writes, log }: Steps): void {
  applyKnown(session, { writes: writes.filter(({ slice }) => slice !== FeedbackState.name), log });
}

/** Applies what rows have of the slices that are installed. */
function applyKnown(session: Session, { writes, log }: Steps): void {
  const isKnown = ({ slice }: { readonly slice: string }): boolean => session.knows(slice);
  session.applyQuietly(sessionPatch({ writes: writes.filter(isKnown), log: log.filter(isKnown) }));
}
