import { describeError, RunLostError } from '../error/index.ts';
import type { RunReplay, RunSurroundings } from '../evaluation/index.ts';
import type { PendingMark } from '../filesystem/index.ts';
import { none } from '../internal/index.ts';
import type { Recorder } from '../record/internal.ts';
import type {
  AttemptName,
  CallHooks,
  EvaluationEnvironment,
  EvaluationPlace,
  ModelRequest,
  ObservedRequest,
  ObserverCalls,
  OpenQuestion,
  RecordedHandler,
  RunEvent,
  RunScope,
  Step,
  StepFunction,
  StepKinds,
  SuspendApprovalOptions,
  SuspendedRun,
  ToolCallResult,
} from '../runtime/index.ts';
import type { Session } from '../session/index.ts';
import type { Logger } from '../tool/index.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { RepeatedRun } from './repeated-run.ts';
import type { RunSummaryKeeper } from './run-summary.ts';

/** What a {@link DurableRun} is made of. */
export interface DurableRunParts {
  readonly runId: string;
  readonly session: Session;
  readonly writer: JournalWriter;
  readonly recorder: Recorder;
  readonly summary: RunSummaryKeeper;
  /** Gets the questions that the run ends with. */
  readonly onPending: SuspendApprovalOptions['onPending'];
  readonly logger: Logger | undefined;
  /** Answers from the rows of the run; undefined for a new one. */
  readonly repeated: RepeatedRun | undefined;
}

/**
 * A run with a journal: puts a row into the queue for everything that it decides, flushes the queue before anything leaves the process, and
 * answers from the rows until they are used up.
 *
 * @see docs/spec/durable-runs.md §3
 */
export class DurableRun implements CallHooks, RunReplay, RunSurroundings {
  readonly runId: string;
  readonly decides = true;
  readonly #parts: DurableRunParts;
  readonly #begun = new Set<string>();
  #environment: EvaluationEnvironment | undefined;
  #users: ObserverCalls | undefined;
  /** The last request of the root run, until the model is asked. */
  #request: ObservedRequest | undefined;
  /** Whether the observers of the caller, and the rows, know the request before the last one. */
  #isRequestKnown = true;
  #unmute: (() => void) | undefined;
  /** What began a turn while the run was repeated. */
  #turnEvents: RunEvent[] = [];

  constructor(parts: DurableRunParts) {
    this.#parts = parts;
    this.runId = parts.runId;
    if (parts.repeated === undefined) return;
    this.#unmute = parts.session.mute();
    this.#isRequestKnown = false;
  }

  get hooks(): CallHooks {
    return this;
  }

  get replay(): RunReplay {
    return this;
  }

  /** True while the run is repeated. */
  get #isRepeating(): boolean {
    return this.#unmute !== undefined;
  }

  // The run as a whole.

  observe = (users: ObserverCalls): ObserverCalls => {
    const { recorder } = this.#parts;
    this.#users = users;
    const unlessRepeating =
      <T>(...listeners: (((report: T) => void) | undefined)[]) =>
      (report: T): void => {
        if (this.#isRepeating) return;
        for (const listener of listeners) listener?.(report);
      };
    const around = users.around;
    return {
      onEvent: (event) => this.#onEvent(event),
      onState: unlessRepeating((state) => recorder.onState(state), users.onState),
      onRequest: (request) => this.#onRequest(request),
      onResponse: unlessRepeating((response) => {
        recorder.onResponse(response);
        // Begun at once, and awaited with what leaves next.
        this.#parts.writer.flush().catch(() => undefined);
      }, users.onResponse),
      onCommit: unlessRepeating(
        (commit) => recorder.onCommit(commit),
        (commit) => this.#parts.summary.committed(commit),
        users.onCommit,
      ),
      onDiscard: unlessRepeating((attempt) => recorder.onDiscard(attempt), users.onDiscard),
      around:
        around === undefined
          ? undefined
          : <T>(scope: RunScope, work: () => T): T =>
              this.#isRepeating && scope.kind !== 'run' ? work() : around(scope, work),
    };
  };

  onBegun = async (environment: EvaluationEnvironment): Promise<void> => {
    this.#environment = environment;
    this.#parts.summary.works(environment.roots.filesystem?.hostPath);
    await this.#parts.repeated?.begin(environment);
  };

  evaluationId({ path }: EvaluationPlace): string | undefined {
    return path.length === 0 ? this.#parts.repeated?.evaluationId : undefined;
  }

  handlerFor(_evaluationId: string, call: AttemptName): RecordedHandler | undefined {
    return call.path.length === 0 ? this.#parts.repeated?.handlerFor(call) : undefined;
  }

  onSuspend = async (
    questions: readonly OpenQuestion[],
  ): Promise<Pick<SuspendedRun, 'runId' | 'pending'>> => {
    const { recorder, summary, onPending, logger } = this.#parts;
    const pending = questions.map((question) => question.pending);
    recorder.suspend(questions);
    summary.waits(pending.length);
    await this.#flush();
    for (const { turn, callId, toolName, policy, policyPrompt, reason, id, digest, changes } of pending) {
      this.#users?.onEvent?.({
        ...{ type: 'approval-pending', turn, callId, toolName, policy, reason, id, digest },
        ...(policyPrompt === undefined ? {} : { policyPrompt }),
        about: changes === undefined ? 'call' : 'changes',
      });
    }
    try {
      await onPending?.(pending);
    } catch (error) {
      logger?.error('The function onPending failed; the run is suspended all the same.', {
        error: describeError(error),
      });
    }
    return { runId: this.runId, pending };
  };

  // The steps.

  stepsOf(evaluationId: string): StepFunction {
    // Evaluations inside calls have ids of their own.
    const isRoot = (): boolean => evaluationId === this.#environment?.origin.evaluationId;
    const step = async <Kind extends keyof StepKinds>(
      asked: Step<Kind>,
      live: () => Promise<StepKinds[Kind]['result']>,
    ): Promise<StepKinds[Kind]['result']> => {
      if (isRoot()) {
        const answer = await this.#answer(asked);
        if (answer !== undefined) return answer;
        this.#goOn(asked);
      }
      if (asked.kind === 'model-call' || asked.kind === 'remote-approval') await this.#flush();
      return live();
    };
    return step;
  }

  /** What the rows say of a step of the root run; undefined when it is to be done. */
  async #answer<Kind extends keyof StepKinds>(
    asked: Step<Kind>,
  ): Promise<StepKinds[Kind]['result'] | undefined> {
    const { repeated } = this.#parts;
    if (repeated === undefined || !this.#isRepeating) return undefined;
    return repeated.answer(asked);
  }

  /** The run goes on: what is asked now was not decided before. */
  #goOn(asked: Step): void {
    this.#leaveRows(asked.input.turn);
    if (asked.kind === 'model-call') this.#passRequest(asked.input as ModelRequest);
  }

  #leaveRows(turn: number): void {
    const { recorder, repeated } = this.#parts;
    if (this.#unmute === undefined || repeated === undefined) return;
    this.#unmute();
    this.#unmute = undefined;
    const { changed } = repeated;
    const atMs = this.#environment?.clock.now() ?? 0;
    recorder.add((part) => ({ type: 'resumed', ...part, atMs, turn, changed }));
    const { runId } = this;
    this.#users?.onEvent?.({ type: 'run-resumed', runId, turn, commits: repeated.commits, changed });
    for (const event of this.#turnEvents) this.#users?.onEvent?.(event);
    this.#turnEvents = [];
  }

  #flush(): Promise<void> {
    this.#environment?.reporter?.reportChanges();
    return this.#parts.writer.flush();
  }

  // What observers get.

  #onEvent(event: RunEvent): void {
    const { recorder, repeated, summary } = this.#parts;
    summary.on(event);
    if (event.type === 'run-start') repeated?.compare(event);
    if (this.#isRepeating && event.type !== 'run-start' && event.type !== 'run-end') {
      if (event.type === 'turn-start') this.#turnEvents = [event];
      if (event.type === 'model-call-start') this.#turnEvents.push(event);
      return;
    }
    if (event.type === 'tool-call-end') this.#environment?.reporter?.reportChanges();
    const isRecorded = event.type !== 'run-start' || repeated === undefined;
    if (isRecorded && !this.#isRepeating) recorder.onEvent(event, this.#evaluation(event));
    this.#users?.onEvent?.(event);
  }

  #evaluation(event: RunEvent): { readonly evaluationId: string; readonly path: readonly string[] } {
    const evaluationId =
      event.type === 'run-start' ? event.evaluationId : (this.#environment?.origin.evaluationId ?? '');
    return { evaluationId, path: none };
  }

  /** A request of the root run waits until it is known whether it is made. */
  #onRequest(request: ObservedRequest): void {
    if (request.path.length > 0) this.#passOn(request);
    else this.#request = request;
  }

  #passRequest({ conversation }: ModelRequest): void {
    const request = this.#request;
    this.#request = undefined;
    if (request === undefined) return;
    if (this.#isRequestKnown) {
      this.#passOn(request);
      return;
    }
    this.#isRequestKnown = true;
    const remove = this.#parts.repeated?.lastLength ?? 0;
    this.#parts.recorder.onRequest({ ...request, edits: [{ at: 0, remove, insert: conversation }] });
    this.#users?.onRequest?.({ ...request, edits: [{ at: 0, remove: 0, insert: conversation }] });
  }

  #passOn(request: ObservedRequest): void {
    this.#parts.recorder.onRequest(request);
    this.#users?.onRequest?.(request);
  }

  // The calls.

  nextCommit(): PendingMark {
    return { runId: this.runId, commit: this.#parts.summary.current().commits + 1 };
  }

  async onBegin(attempt: AttemptName): Promise<void> {
    const { turn, callId, toolName, attempt: number, evaluationId } = attempt;
    this.#begun.add(nameOf(attempt));
    this.#parts.recorder.add(
      (part) => ({ type: 'begin', ...part, turn, callId, toolName, attempt: number }),
      evaluationId,
    );
    await this.#flush();
  }

  async onCommit({ invocation }: ToolCallResult, attempt: AttemptName, hasStaged: boolean): Promise<void> {
    // What leaves nothing outside waits for the others of its turn: lost, it is done again.
    const leaves = hasStaged || this.#begun.delete(nameOf(attempt)) || invocation.reason === 'in-doubt';
    if (leaves && attempt.path.length === 0) await this.#parts.writer.flush();
  }

  isInDoubt(attempt: AttemptName): boolean {
    return this.#parts.repeated?.isInDoubt(attempt) ?? false;
  }

  onLost(cause: unknown): void {
    const { writer } = this.#parts;
    const message = `Files of a decided commit of the run "${this.runId}" could not be brought to the disk: ${describeError(cause)}`;
    writer.lose(new RunLostError(message, { cause, details: { runId: this.runId } }));
  }

  onRedeliver(): void {
    this.#leaveRows(this.#parts.repeated?.turn ?? 0);
  }

  onTakenOver(result: ToolCallResult): void {
    this.#parts.repeated?.takenOver(result);
  }
}

function nameOf({ path, turn, callId }: AttemptName): string {
  return JSON.stringify([path, turn, callId]);
}
