import { describeError, PromptValidationError, RunLostError } from '../../core/error/index.ts';
import type { RunJournaling } from '../../core/evaluation/index.ts';
import type { PendingMark } from '../../core/filesystem/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type { DecidingRow } from '../../core/resource/index.ts';
import type {
  AttemptName,
  BeginningAttempt,
  EvaluationEnvironment,
  EvaluationPlace,
  KnownAnswer,
  MadeCompaction,
  ModelRequest,
  ModelTurn,
  ObserverCalls,
  OnceHooks,
  OpenQuestion,
  PaidAnswer,
  RunInbox,
  Step,
  StepFunction,
  StepKinds,
  SuspendedRun,
  ToolCallResult,
  TransactionRoots,
} from '../../core/runtime/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Recorder } from '../../record/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import { type JournalWriter, lostBy, runAppender } from '../rows/journal-writer.ts';
import { RunSummaryKeeper } from '../rows/run-summary.ts';
import { BegunCalls } from './begun-calls.ts';
import { CancelWatch } from './cancel-watch.ts';
import { filesystemsInUse } from './filesystems-in-use.ts';
import { JournaledInput } from './journaled-input.ts';
import { onceKeys } from './once-keys.ts';
import { rowsMissing } from './rows-missing.ts';
import type { RunHooksParts } from './run-hooks-parts.ts';
import { RunReports } from './run-reports.ts';
import { RunSpending } from './run-spending.ts';

/**
 * A run with a journal: puts a row into the queue for everything that it decides, flushes the queue before anything leaves the process, and
 * answers from the rows until they are used up.
 *
 * @see docs/spec/durable-runs.md §3
 */
export class RunHooks implements RunJournaling {
  readonly runId: string;
  readonly decides = true;
  readonly once: OnceHooks | undefined;
  readonly spending: RunSpending;
  /** Aborted when the run is lost, and by the signal of its options. */
  readonly signal: AbortSignal;
  readonly input: JournaledInput;
  readonly #parts: RunHooksParts;
  readonly #writer: JournalWriter;
  readonly #recorder: Recorder;
  readonly #summary: RunSummaryKeeper;
  readonly #reports: RunReports;
  readonly #ending = new AbortController();
  #loss: RunLostError | undefined;
  readonly #cancels: CancelWatch;
  readonly #unwatch: () => void;
  readonly #begun: BegunCalls;
  #environment: EvaluationEnvironment | undefined;

  constructor(parts: RunHooksParts) {
    const { journal, lease, runId, session, options, resumed } = parts;
    const clock = options.clock ?? session.clock ?? systemClock;
    this.#parts = parts;
    this.runId = runId;
    const signals = [this.#ending.signal, ...(options.signal === undefined ? [] : [options.signal])];
    this.signal = AbortSignal.any(signals);
    const summary = new RunSummaryKeeper(clock, parts.known);
    this.spending = new RunSpending({ ...parts, writer: () => this.#writer, clock });
    const { writer, recorder } = runAppender({
      journal,
      lease,
      runId,
      clock,
      rows: resumed?.rows,
      summary,
      signal: this.signal,
      spending: this.spending,
      onLost: (error) => this.#lose(error),
      onInbox: (inbox) => this.#onInbox(inbox),
    });
    this.#summary = summary;
    this.#writer = writer;
    this.once = onceKeys(journal.ledger, lease, writer);
    this.#recorder = recorder;
    const asked = parts.input ?? none;
    this.input = new JournaledInput({
      journal,
      runId,
      recorder,
      writer,
      resumed,
      asked,
      now: () => clock.now(),
    });
    this.#begun = new BegunCalls({
      journal,
      lease,
      runId,
      recorder,
      writer,
      resumed,
      flush: () => this.#flushChanges(),
    });
    this.#reports = new RunReports({
      recorder,
      writer,
      summary,
      resumed,
      environment: () => this.#environment,
      leaveRows: (turn) => this.#leaveRows(turn),
    });
    lease.signal.addEventListener('abort', this.#loseLease, { once: true });
    const onCancelled = (reason: unknown): void => this.#ending.abort(reason);
    this.#cancels = new CancelWatch({ journal, runId, recorder, writer, summary, onCancelled });
    this.#unwatch = lease.watch(runId, (inbox) => this.#onInbox(inbox));
    resumed?.mute();
  }

  // The run as a whole.

  get loss(): RunLostError | undefined {
    return this.#loss;
  }

  observe(users: ObserverCalls): ObserverCalls {
    return this.#reports.observe(users);
  }

  /**
   * @throws {PromptValidationError} when another run with a journal uses the files: it would commit what it has read and no row has decided.
   * @throws {RunRefusedError} `run-rows-missing`, when the run begins in a folder that has not got all of it.
   */
  async onBegun(environment: EvaluationEnvironment): Promise<void> {
    const { filesystem } = environment.roots;
    if (this.#parts.resumed === undefined && filesystem?.['~pendingRuns']?.().includes(this.runId) === true) {
      this.#writer.abandon();
      throw rowsMissing(this.runId);
    }
    if (filesystem !== undefined && filesystemsInUse().has(filesystem)) {
      throw new PromptValidationError(
        `The run "${this.runId}" cannot use its file system: another run with a journal uses it. Wait for its end, or give each run files of its own.`,
        { details: { runId: this.runId } },
      );
    }
    if (filesystem !== undefined) filesystemsInUse().add(filesystem);
    this.#environment = environment;
    this.#summary.works(filesystem?.hostPath);
    this.#parts.onBegun?.(this.#reports.start, filesystem?.hostPath);
    await this.#parts.resumed?.begin(environment);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes the last rows of the run, and what it has been sent until then. @throws {RunLostError} */
  async flushEnd(): Promise<void> {
    try {
      await this.#writer.flush();
      await this.#cancels.settled();
      await this.#writer.flush();
    } finally {
      await this.spending.end();
    }
  }

  /** The run has ended: session and files belong to the caller again. The lease is still held. */
  end(): void {
    this.#parts.resumed?.release();
    void this.spending.end();
    this.#unwatch();
    this.#parts.lease.signal.removeEventListener('abort', this.#loseLease);
    const { filesystem } = this.#environment?.roots ?? {};
    if (filesystem !== undefined) filesystemsInUse().delete(filesystem);
    this.#environment = undefined;
  }

  /** A journal that wraps another one may leave out what an append resolves with. */
  #onInbox(inbox: RunInbox | undefined): void {
    this.#cancels.onInbox(inbox);
    this.input.onInbox(inbox);
  }

  readonly #loseLease = (): void => {
    const { lease, session } = this.#parts;
    const what = `The lease of the session "${session.id}" was lost`;
    this.#writer.lose(lostBy(this.runId, what, lease.signal.reason));
  };

  #lose(error: RunLostError): void {
    this.#loss = error;
    this.#parts.session.lose(error);
    this.#environment?.roots.filesystem?.lose?.(error);
    this.#ending.abort(error);
  }

  readonly atStart: NonNullable<RunJournaling['atStart']> = (slice) => this.#parts.resumed?.atStart(slice);

  evaluationId(place: EvaluationPlace): string | undefined {
    return this.#parts.resumed?.evaluationId(place);
  }

  readonly handlerFor: RunJournaling['handlerFor'] = (evaluationId, call, _tool, params) =>
    this.#parts.resumed?.handlerFor(evaluationId, call, params);

  compactionBefore(evaluationId: string, turn: number): MadeCompaction | 'none' | undefined {
    return this.#parts.resumed?.compactionBefore(evaluationId, turn);
  }

  paidAnswer(turn: ModelTurn): PaidAnswer | undefined {
    return this.#parts.resumed?.paid.of(turn);
  }

  innerPaid(evaluationId: string, call: Pick<AttemptName, 'turn' | 'callId'>): readonly PaidAnswer[] {
    return this.#parts.resumed?.paid.inner(evaluationId, call) ?? none;
  }

  async onSuspend(questions: readonly OpenQuestion[]): Promise<Pick<SuspendedRun, 'runId' | 'pending'>> {
    const { onPending, options } = this.#parts;
    const pending = questions.map((question) => question.pending);
    this.#recorder.suspend(questions);
    this.#summary.waits(pending);
    await this.#flushChanges();
    this.#reports.suspended(pending);
    try {
      await onPending?.(pending);
    } catch (error) {
      options.logger?.error('The function onPending failed; the run is suspended all the same.', {
        error: describeError(error),
      });
    }
    return { runId: this.runId, pending };
  }

  async onAsk(question: OpenQuestion | undefined): Promise<void> {
    if (question !== undefined) this.#recorder.ask(question);
    await this.#flushChanges();
  }

  async onAnswer({ pending }: OpenQuestion, { approved, why }: KnownAnswer): Promise<void> {
    const { id, digest } = pending;
    const atMs = this.#now();
    const note = present({ note: why });
    this.#recorder.add((part) => ({ type: 'answer', ...part, id, digest, approved, atMs, ...note }));
    await this.#flushChanges();
  }

  // The steps.

  stepsOf(evaluationId: string, roots: TransactionRoots): StepFunction {
    const { resumed } = this.#parts;
    if (resumed !== undefined && evaluationId !== resumed.rows.header.evaluationId)
      resumed.at(evaluationId)?.worksOn(roots);
    const step = async <Kind extends keyof StepKinds>(
      asked: Step<Kind>,
      live: () => Promise<StepKinds[Kind]['result']>,
    ): Promise<StepKinds[Kind]['result']> => {
      if (resumed?.isResuming(evaluationId) === true) {
        const answer = await resumed.answer(evaluationId, asked);
        if (answer !== undefined) return answer;
        if (evaluationId === resumed.rows.header.evaluationId) this.#leaveRows(asked.input.turn);
        else this.#reports.goesOn(evaluationId);
      }
      if (asked.kind === 'model-call') this.#reports.asking(evaluationId, asked.input as ModelRequest);
      if (asked.kind === 'model-call' || asked.kind === 'remote-approval') await this.#flushChanges();
      return live();
    };
    return step;
  }

  #leaveRows(turn: number): void {
    const { resumed } = this.#parts;
    if (resumed?.goOn() !== true) return;
    const { changed } = resumed;
    const atMs = this.#now();
    this.#recorder.add((part) => ({ type: 'resumed', ...part, atMs, turn, changed }));
    this.#declareMigrated(resumed, atMs);
    const { commits, interruptions: lives } = resumed.rows;
    const interruptions = lives.count === 0 ? undefined : lives.count;
    const model = resumed.rows.root.modelOf(turn);
    this.#reports.resumed({
      type: 'run-resumed',
      runId: this.runId,
      turn,
      commits,
      changed,
      ...present({ interruptions, model }),
    });
  }

  /** From here on rows have slices of other versions in the shape of today. */
  #declareMigrated({ rows, migrated }: ResumedRun, atMs: number): void {
    if (migrated === undefined) return;
    const slices = this.#parts.session.observe(0).slices.filter(({ name }) => migrated.slices.has(name));
    this.#recorder.onState({
      evaluationId: rows.header.evaluationId,
      path: none,
      atMs,
      kind: 'change',
      slices,
      writes: migrated.writes,
      log: none,
      isRedacted: false,
    });
  }

  #now(): number {
    return this.#environment?.clock.now() ?? 0;
  }

  /** Makes durable what has happened so far, before something leaves the process. */
  #flushChanges(): Promise<void> {
    this.#environment?.reporter?.reportChanges();
    return this.#writer.flush();
  }

  // The calls.

  readonly modelOf = (evaluationId: string, turn: number): string | undefined =>
    this.#parts.resumed?.at(evaluationId)?.modelOf(turn);
  readonly onModelChanged = (): Promise<void> => this.#flushChanges();
  restartsAnswer(evaluationId: string, turn: number): boolean {
    return this.#parts.resumed?.at(evaluationId)?.rows.requestOf(turn) !== undefined;
  }

  nextCommit(): PendingMark {
    return { runId: this.runId, commit: this.#summary.current().commits + 1 };
  }

  onBegin(attempt: BeginningAttempt, sharedTransaction?: object): Promise<DecidingRow | undefined> {
    return this.#begun.begin(attempt, sharedTransaction);
  }

  onBeginAgain(attempt: BeginningAttempt): Promise<void> | undefined {
    return this.#begun.beginAgain(attempt);
  }

  runsAlone(evaluationId: string, { turn }: Pick<AttemptName, 'turn'>, reenters: boolean): boolean {
    return this.#parts.resumed?.runsAlone(evaluationId, turn, reenters) ?? false;
  }

  tooManyInterruptions(attempt: AttemptName, reenters: boolean): number | undefined {
    return this.#parts.resumed?.tooManyInterruptions(attempt, reenters);
  }

  async onCommit({ invocation }: ToolCallResult, attempt: AttemptName, hasStaged: boolean): Promise<void> {
    // What leaves nothing outside waits for the others of its turn: lost, it is done again.
    const { reason } = invocation;
    const hasLeft =
      this.#begun.settle(attempt) || reason === 'in-doubt' || reason === 'interrupted-repeatedly';
    if (hasStaged || hasLeft) await this.#writer.flush();
  }

  isInDoubt(attempt: AttemptName): boolean {
    return this.#parts.resumed?.isInDoubt(attempt) ?? false;
  }

  onLost(cause: unknown): void {
    const message = `Files of a decided commit of the run "${this.runId}" could not be brought to the disk: ${describeError(cause)}`;
    this.#writer.lose(new RunLostError(message, { cause, details: { runId: this.runId } }));
  }

  onRedeliver(): void {
    this.#leaveRows(this.#parts.resumed?.turn ?? 0);
  }

  onTakenOver(result: ToolCallResult): void {
    this.#parts.resumed?.takenOver(result);
  }
}
