import { describeError, RunLostError } from '../../core/error/index.ts';
import type { EarlierRun, RunSurroundings } from '../../core/evaluation/index.ts';
import type { PendingMark } from '../../core/filesystem/index.ts';
import { none, present, type Writable } from '../../core/internal/index.ts';
import type { DecidingRow } from '../../core/resource/index.ts';
import type {
  AttemptName,
  CallHooks,
  EvaluationEnvironment,
  EvaluationPlace,
  KnownAnswer,
  ModelRequest,
  ModelTurn,
  ObserverCalls,
  OpenQuestion,
  PaidAnswer,
  RecordedHandler,
  RunLease,
  Step,
  StepFunction,
  StepKinds,
  SuspendApprovalOptions,
  SuspendedRun,
  ToolCallResult,
  TransactionRoots,
} from '../../core/runtime/index.ts';
import type { Session } from '../../core/session/index.ts';
import type { AnyTool, Logger, UserItem } from '../../core/tool/index.ts';
import type { Recorder } from '../../record/index.ts';
import type { ResumedEvaluation } from '../resume/resumed-evaluation.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';
import type { RunSummaryKeeper } from '../rows/run-summary.ts';
import { RunReports } from './run-reports.ts';

/** What a {@link RunHooks} is made of. */
export interface RunHooksParts {
  readonly runId: string;
  readonly session: Session;
  readonly lease: RunLease;
  readonly writer: JournalWriter;
  readonly recorder: Recorder;
  readonly summary: RunSummaryKeeper;
  /** Where the rows are; undefined for a journal that shares its transactions with no resource. */
  readonly database: object | undefined;
  /** Gets the questions that the run ends with. */
  readonly onPending: SuspendApprovalOptions['onPending'];
  readonly logger: Logger | undefined;
  /** What is said to the model when a run is resumed. */
  readonly input: readonly UserItem[];
  /** Answers from the rows of the run; undefined for a new one. */
  readonly resumed: ResumedRun | undefined;
}

/**
 * A run with a journal: puts a row into the queue for everything that it decides, flushes the queue before anything leaves the process, and
 * answers from the rows until they are used up.
 *
 * @see docs/spec/durable-runs.md §3
 */
export class RunHooks implements CallHooks, EarlierRun, RunSurroundings {
  readonly runId: string;
  readonly decides = true;
  readonly #parts: RunHooksParts;
  readonly #reports: RunReports;
  /** Calls that must not be lost, with the row that their resources wait for. */
  readonly #begun = new Map<string, Writable<DecidingRow> | undefined>();
  /** Evaluations inside calls that are resumed, by their ids. */
  readonly #inner = new Map<string, ResumedEvaluation>();
  #environment: EvaluationEnvironment | undefined;
  #unmute: (() => void) | undefined;
  /** What is said to the model when the run goes on. */
  #input: readonly UserItem[];

  constructor(parts: RunHooksParts) {
    const { recorder, writer, summary, resumed, session } = parts;
    this.#parts = parts;
    this.runId = parts.runId;
    this.#input = parts.input;
    if (resumed !== undefined) this.#unmute = session.mute();
    this.#reports = new RunReports({
      recorder,
      writer,
      summary,
      isResumed: resumed !== undefined,
      isResuming: (evaluationId) =>
        this.#inner.get(evaluationId)?.isResuming ??
        (this.#isResuming && evaluationId === resumed?.evaluationId),
      lastLength: (evaluationId) =>
        this.#inner.get(evaluationId)?.rows.lastRequest?.length ?? resumed?.lastLength ?? 0,
      onStart: (event) => resumed?.compare(event),
      onEnd: ({ outcome }) => {
        // All was decided, and the process was killed before it said so.
        if (resumed?.isUsedUp === true && resumed.outcome !== outcome) this.#leaveRows(resumed.turn);
      },
      isStopped: () => this.#environment?.stop.reason !== undefined,
      reportChanges: () => this.#environment?.reporter?.reportChanges(),
    });
  }

  /** The run has ended. The session belongs to its caller again, also after a run that was resumed as a whole. */
  end(): void {
    this.#unmute?.();
    this.#unmute = undefined;
  }

  /** True while the run is resumed. */
  get #isResuming(): boolean {
    return this.#unmute !== undefined;
  }

  // The run as a whole.

  observe = (users: ObserverCalls): ObserverCalls => this.#reports.observe(users);

  onBegun = async (environment: EvaluationEnvironment): Promise<void> => {
    this.#environment = environment;
    this.#parts.summary.works(environment.roots.filesystem?.hostPath);
    await this.#parts.resumed?.begin(environment);
  };

  evaluationId(place: EvaluationPlace): string | undefined {
    const { resumed } = this.#parts;
    if (place.path.length === 0) return resumed?.evaluationId;
    const inner = resumed?.inner(place);
    if (inner === undefined) return undefined;
    const { evaluationId } = inner.rows.description;
    this.#inner.set(evaluationId, inner);
    return evaluationId;
  }

  handlerFor(
    evaluationId: string,
    call: AttemptName,
    _tool: AnyTool,
    params: unknown,
  ): RecordedHandler | undefined {
    return this.#parts.resumed?.handlerFor(this.#rowsOf(evaluationId), call, params);
  }

  paidAnswer(turn: ModelTurn): PaidAnswer | undefined {
    return this.#parts.resumed?.paid.of(turn);
  }

  innerPaid(evaluationId: string, call: Pick<AttemptName, 'turn' | 'callId'>): readonly PaidAnswer[] {
    return this.#parts.resumed?.paid.inner(evaluationId, call) ?? none;
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
      this.#reports.emit({
        type: 'approval-pending',
        turn,
        callId,
        toolName,
        policy,
        reason,
        id,
        digest,
        ...present({ policyPrompt }),
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

  async onAsk(question: OpenQuestion | undefined): Promise<void> {
    if (question !== undefined) this.#parts.recorder.ask(question);
    await this.#flush();
  }

  async onAnswer({ pending }: OpenQuestion, { approved, why }: KnownAnswer): Promise<void> {
    const { id, digest } = pending;
    const atMs = this.#environment?.clock.now() ?? 0;
    this.#parts.recorder.add((part) => ({
      type: 'answer',
      ...part,
      id,
      digest,
      approved,
      atMs,
      ...present({ note: why }),
    }));
    await this.#flush();
  }

  // The steps.

  stepsOf(evaluationId: string, roots: TransactionRoots): StepFunction {
    this.#inner.get(evaluationId)?.worksOn(roots);
    const step = async <Kind extends keyof StepKinds>(
      asked: Step<Kind>,
      live: () => Promise<StepKinds[Kind]['result']>,
    ): Promise<StepKinds[Kind]['result']> => {
      const answer =
        evaluationId === this.#environment?.origin.evaluationId
          ? await this.#answer(asked)
          : await this.#answerInner(evaluationId, asked);
      if (answer !== undefined) return answer;
      if (asked.kind === 'model-call') this.#reports.asking(evaluationId, asked.input as ModelRequest);
      if (asked.kind === 'model-call' || asked.kind === 'remote-approval') await this.#flush();
      return live();
    };
    return step;
  }

  /** What the rows say of a step of the run itself; undefined when it is to be done. */
  async #answer(asked: Step): Promise<StepKinds[keyof StepKinds]['result'] | undefined> {
    const { resumed } = this.#parts;
    if (resumed === undefined || !this.#isResuming) return undefined;
    if (asked.kind === 'model-call') resumed.compareRequest(asked.input as ModelRequest);
    const answer = await resumed.answer(asked);
    if (answer !== undefined) return answer;
    this.#leaveRows(asked.input.turn);
    return undefined;
  }

  /** The same for an evaluation inside a call. What the model is asked must be what it was asked: the call may have read something else. */
  async #answerInner(
    evaluationId: string,
    asked: Step,
  ): Promise<StepKinds[keyof StepKinds]['result'] | undefined> {
    const inner = this.#inner.get(evaluationId);
    if (inner?.isResuming !== true) return undefined;
    const isSame = asked.kind !== 'model-call' || inner.isSameRequest(asked.input as ModelRequest);
    const answered = isSame ? inner.answer(asked) : undefined;
    if (answered !== undefined) return answered.result;
    await inner.leave();
    this.#reports.goesOn(evaluationId);
    return undefined;
  }

  #leaveRows(turn: number): void {
    const { recorder, resumed } = this.#parts;
    if (this.#unmute === undefined || resumed === undefined) return;
    this.#unmute();
    this.#unmute = undefined;
    const { changed, commits } = resumed;
    const atMs = this.#environment?.clock.now() ?? 0;
    recorder.add((part) => ({ type: 'resumed', ...part, atMs, turn, changed }));
    this.#declareMigrated(resumed, atMs);
    this.#reports.resumed({ type: 'run-resumed', runId: this.runId, turn, commits, changed });
  }

  /** From here on rows have slices of other versions in the shape of today. */
  #declareMigrated({ evaluationId, migrated }: ResumedRun, atMs: number): void {
    if (migrated === undefined) return;
    const { recorder, session } = this.#parts;
    const slices = session.observe(0).slices.filter(({ name }) => migrated.slices.has(name));
    recorder.onState({
      evaluationId,
      path: none,
      atMs,
      kind: 'change',
      slices,
      writes: migrated.writes,
      log: none,
      isRedacted: false,
    });
  }

  #flush(): Promise<void> {
    this.#environment?.reporter?.reportChanges();
    return this.#parts.writer.flush();
  }

  // The calls.

  hasInputFor(turn: number): boolean {
    const { resumed } = this.#parts;
    if (resumed === undefined) return false;
    return resumed.inputFor(turn).length > 0 || (resumed.isUsedUp && this.#input.length > 0);
  }

  takeInputFor(turn: number): readonly UserItem[] {
    const { resumed } = this.#parts;
    if (resumed === undefined) return none;
    const before = resumed.inputFor(turn);
    const now = this.#input;
    if (!resumed.isUsedUp || now.length === 0) return before;
    this.#input = none;
    const items = now.map((item) => ({ ...item }));
    this.#parts.recorder.add((part) => ({ type: 'input', ...part, turn, items }));
    return [...before, ...now];
  }

  restartsAnswer(evaluationId: string, turn: number): boolean {
    const isRoot = evaluationId === this.#environment?.origin.evaluationId;
    if (isRoot) return this.#parts.resumed?.hasAsked(turn) ?? false;
    return this.#inner.get(evaluationId)?.rows.requestOf(turn) !== undefined;
  }

  nextCommit(): PendingMark {
    return { runId: this.runId, commit: this.#parts.summary.current().commits + 1 };
  }

  async onBegin(attempt: AttemptName, sharedTransaction?: object): Promise<DecidingRow | undefined> {
    const { turn, callId, toolName, attempt: number, evaluationId } = attempt;
    const { database, lease, recorder } = this.#parts;
    if (sharedTransaction !== undefined && sharedTransaction === database) {
      // What is committed with the row of the call is never in doubt.
      const row = { runId: this.runId, owner: lease.owner, seq: undefined };
      this.#begun.set(nameOf(attempt), row);
      return row;
    }
    this.#begun.set(nameOf(attempt), undefined);
    recorder.add(
      (part) => ({ type: 'begin', ...part, turn, callId, toolName, attempt: number }),
      evaluationId,
    );
    await this.#flush();
    return undefined;
  }

  async onCommit({ invocation }: ToolCallResult, attempt: AttemptName, hasStaged: boolean): Promise<void> {
    // What leaves nothing outside waits for the others of its turn: lost, it is done again.
    const { writer } = this.#parts;
    const name = nameOf(attempt);
    const row = this.#begun.get(name);
    // The rows of the call are the last ones that were made: nothing was awaited since.
    if (row !== undefined) row.seq = writer.lastWaiting;
    const hasLeft = this.#begun.delete(name) || invocation.reason === 'in-doubt';
    if (hasStaged || hasLeft) await writer.flush();
  }

  isInDoubt(attempt: AttemptName): boolean {
    return this.#parts.resumed?.isInDoubt(this.#rowsOf(attempt.evaluationId), attempt) ?? false;
  }

  /** The rows of an evaluation that is resumed, or was; undefined for one that was never interrupted. */
  #rowsOf(evaluationId: string): ResumedEvaluation | undefined {
    const { resumed } = this.#parts;
    return evaluationId === resumed?.evaluationId ? resumed.root : this.#inner.get(evaluationId);
  }

  onLost(cause: unknown): void {
    const { writer } = this.#parts;
    const message = `Files of a decided commit of the run "${this.runId}" could not be brought to the disk: ${describeError(cause)}`;
    writer.lose(new RunLostError(message, { cause, details: { runId: this.runId } }));
  }

  onRedeliver(): void {
    this.#leaveRows(this.#parts.resumed?.turn ?? 0);
  }

  onTakenOver(result: ToolCallResult): void {
    const { evaluationId, parentCallIds } = result.invocation;
    if (parentCallIds === undefined) this.#parts.resumed?.takenOver(result);
    else this.#inner.get(evaluationId)?.takenOver(result);
  }
}

function nameOf({ evaluationId, turn, callId }: AttemptName): string {
  return JSON.stringify([evaluationId, turn, callId]);
}
