import { PromptValidationError } from '../error/index.ts';
import { none } from '../internal/index.ts';
import type { StateRow } from '../record/index.ts';
import { recordedResponse, recordedTurn } from '../record/internal.ts';
import {
  type AttemptName,
  type EvaluationEnvironment,
  FeedbackState,
  PromptEvaluationError,
  type RecordedHandler,
  type RunEvent,
  type Step,
  type StepKinds,
  type ToolCallResult,
} from '../runtime/index.ts';
import type { IdSource, Session } from '../session/index.ts';
import { landLastCommit } from './land-last-commit.ts';
import { repeatedCall, sessionPatch } from './repeated-call.ts';
import { type CallDecision, callKey, type Decision, type RunRows } from './run-rows.ts';
import { approvedStage, stagedHandler } from './staged-call.ts';

/** What a {@link RepeatedRun} works with. */
export interface RepeatedRunParts {
  readonly runId: string;
  readonly rows: RunRows;
  readonly session: Session;
  readonly ids: IdSource;
  /** Whether a run is refused whose prompt, tools or policies are not those of the rows. */
  readonly isStrict: boolean;
}

/**
 * Answers the steps of a run from its rows, in their order, until they are used up.
 *
 * @see docs/spec/durable-runs.md §4
 */
export class RepeatedRun {
  readonly #parts: RepeatedRunParts;
  readonly #changed: string[] = [];
  readonly #taken = new Map<string, CallDecision>();
  #environment: EvaluationEnvironment | undefined;
  #next = 0;
  /** Calls that were answered and are not on the state yet. */
  #untaken = 0;
  #onAllTaken: (() => void)[] = [];
  #divergence: PromptEvaluationError | undefined;

  constructor(parts: RepeatedRunParts) {
    this.#parts = parts;
  }

  get evaluationId(): string {
    return this.#parts.rows.header.evaluationId;
  }

  /** How many calls were committed. */
  get commits(): number {
    return this.#parts.rows.commits;
  }

  /** Items of the conversation in the last request. */
  get lastLength(): number {
    return this.#parts.rows.lastRequest?.length ?? 0;
  }

  /** The turn of the last decision. */
  get turn(): number {
    return this.#parts.rows.decisions.at(-1)?.turn ?? 0;
  }

  /** What is not as it was when the rows were written, by name. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  /** Why the run cannot be repeated; undefined when it can. */
  get divergence(): PromptEvaluationError | undefined {
    return this.#divergence;
  }

  /** Compares what the run begins with to what the rows say. */
  compare({ prompt, toolsHash, policies, model }: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const { header } = this.#parts.rows;
    if (prompt.hash !== header.prompt.hash) this.#changed.push('prompt');
    if (toolsHash !== header.toolsHash) this.#changed.push('tools');
    if (policies.join('\n') !== header.policies.join('\n')) this.#changed.push('policies');
    if (model !== header.model) this.#changed.push('model');
  }

  /**
   * The evaluation has begun: session and files become what they were.
   *
   * @throws {PromptValidationError} when the prompt is another one and the run is strict.
   */
  async begin(environment: EvaluationEnvironment): Promise<void> {
    const { rows, session, isStrict, runId } = this.#parts;
    this.#environment = environment;
    if (isStrict && this.#changed.length > 0) {
      throw new PromptValidationError(
        `The run "${runId}" was recorded with another ${this.#changed.join(', ')}. Resume it with what it began with, or without strict.`,
        { details: { changed: this.#changed } },
      );
    }
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
  async answer<Kind extends keyof StepKinds>(
    step: Step<Kind>,
  ): Promise<StepKinds[Kind]['result'] | undefined> {
    const decision = this.#parts.rows.decisions[this.#next];
    if (decision === undefined) {
      if (this.#untaken > 0) await new Promise<void>((resolve) => this.#onAllTaken.push(resolve));
      return undefined;
    }
    this.#next += 1;
    // The decision answers a step of its kind, and that is what this step is.
    const result = this.#resultOf(decision, step) as StepKinds[Kind]['result'] | undefined;
    if (result === undefined) throw this.#diverged(decision, step);
    if (decision.kind !== 'call') this.#apply(decision.changes);
    return result;
  }

  /** Whether the call began before the run was interrupted. */
  isInDoubt(call: AttemptName): boolean {
    const { rows } = this.#parts;
    if (call.path.length > 0 || !rows.begun.has(callKey(call))) return false;
    // What it did waits for its commit, unless that has failed.
    return call.attempt > 1 || approvedStage(rows, call) === undefined;
  }

  /** What takes the place of a handler whose changes were approved; undefined: it runs. */
  handlerFor(call: AttemptName): RecordedHandler | undefined {
    const { rows } = this.#parts;
    const staged = call.attempt === 1 ? approvedStage(rows, call) : undefined;
    return staged === undefined ? undefined : stagedHandler(staged, rows);
  }

  /** A call that was answered is on the state. */
  takenOver({ invocation }: ToolCallResult): void {
    const key = callKey(invocation);
    const decision = this.#taken.get(key);
    if (decision === undefined) return;
    this.#taken.delete(key);
    this.#apply(decision.changes);
    this.#untaken -= 1;
    if (this.#untaken > 0) return;
    for (const resolve of this.#onAllTaken) resolve();
    this.#onAllTaken = [];
  }

  #resultOf(decision: Decision, { kind, input }: Step): StepKinds[keyof StepKinds]['result'] | undefined {
    if (decision.turn !== input.turn) return undefined;
    switch (decision.kind) {
      case 'response':
        return kind === 'model-call' ? recordedTurn(recordedResponse(decision.row)) : undefined;
      case 'call':
        return kind === 'tool-call' && 'callId' in input && input.callId === decision.callId
          ? this.#call(decision)
          : undefined;
      case 'event': {
        const { event } = decision.row;
        if (event.type === 'completion-checked' && kind === 'completion-check') {
          return event.outcome === 'complete'
            ? { outcome: 'complete' }
            : { outcome: 'incomplete', feedback: event.feedback ?? '' };
        }
        if (event.type !== 'hosted-approval-answered' || kind !== 'remote-approval') return undefined;
        const { approved, reason } = event;
        return { approved, ...(reason === undefined ? {} : { reason }) };
      }
    }
  }

  #call(decision: CallDecision): ToolCallResult {
    const { rows, ids } = this.#parts;
    const filesystem = this.#environment?.roots.filesystem;
    this.#taken.set(callKey(decision), decision);
    this.#untaken += 1;
    return repeatedCall({
      header: rows.header,
      row: decision.row,
      delivered: decision.delivered,
      blobs: rows.blobs,
      adapter: this.#environment?.origin.adapter ?? rows.header.adapter,
      newId: ids,
      // A disk has kept them.
      appliesFiles: filesystem !== undefined && filesystem.stage === undefined,
    });
  }

  /** Applies what others changed. */
  #apply(changes: readonly StateRow[]): void {
    const { session } = this.#parts;
    for (const { writes, log } of changes) applyKnown(session, writes, log);
    this.#environment?.reporter?.skipChanges();
  }

  #diverged(decision: Decision, { kind, key }: Step): PromptEvaluationError {
    const { runId } = this.#parts;
    const recorded = decision.kind === 'call' ? `the call "${decision.callId}"` : `a ${decision.kind}`;
    this.#divergence = new PromptEvaluationError(
      'evaluation-diverged',
      `The run "${runId}" cannot be repeated: it asks for ${kind} "${key}", and its rows have ${recorded} of turn ${decision.turn} there. Resume it with the options, the input and the prompt that it began with.`,
      { phase: 'request', promptName: this.#parts.rows.header.promptName, details: { key } },
    );
    return this.#divergence;
  }
}

/** Makes STATE what it was at the start; slices that the session does not know are left out. */
export function resetState(session: Session, start: StateRow | undefined): void {
  const held = session.observe(0);
  const written = new Set(held.writes.map(({ slice }) => slice));
  for (const slice of written) {
    session.applyQuietly({
      operations: [{ op: 'write', slice, operation: { op: 'clear' } }],
      log: [],
      events: [],
    });
  }
  if (start === undefined) return;
  const logged = new Set(held.log.map(({ slice }) => slice));
  applyKnown(
    session,
    start.writes,
    start.log.filter(({ slice }) => !logged.has(slice)),
  );
}

/** Applies what the rows have of slices that are installed, but for what a repeated run counts itself. */
function applyKnown(session: Session, writes: StateRow['writes'], log: StateRow['log']): void {
  const isKnown = ({ slice }: { readonly slice: string }): boolean =>
    session.knows(slice) && slice !== FeedbackState.name;
  session.applyQuietly(sessionPatch(writes.filter(isKnown), log.filter(isKnown)));
}
