import { describeError, PromptValidationError, RunLostError } from '../../core/error/index.ts';
import type { EvaluateOptions } from '../../core/evaluation/index.ts';
import type { Filesystem } from '../../core/filesystem/index.ts';
import { processWide } from '../../core/internal/index.ts';
import type {
  EvaluationEnvironment,
  RunJournal,
  RunLease,
  RunSummary,
  SuspendApprovalOptions,
} from '../../core/runtime/index.ts';
import { type Session, systemClock } from '../../core/session/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import { Recorder } from '../../record/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import { JournalWriter } from '../rows/journal-writer.ts';
import type { RunRows } from '../rows/run-rows.ts';
import { RunSummaryKeeper } from '../rows/run-summary.ts';
import { RunHooks } from './run-hooks.ts';

/** What a {@link JournalingEvaluator} is made of. */
export interface JournalingEvaluatorParts {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  readonly session: Session;
  readonly options: Pick<EvaluateOptions, 'clock' | 'signal' | 'logger'>;
  /** Gets the questions that the run ends with. Default: it is not suspended. */
  readonly onPending?: SuspendApprovalOptions['onPending'] | undefined;
  /** The rows of a run that is resumed. Default: the run is new. */
  readonly rows?: RunRows | undefined;
  /** What the journal lists of it. Default: nothing. */
  readonly known?: Partial<RunSummary> | undefined;
  /** Answers from its rows. Default: nothing does. */
  readonly resumed?: ResumedRun | undefined;
  /** What is said to the model when it is resumed. Default: nothing. */
  readonly input?: readonly UserItem[] | undefined;
}

/**
 * File systems in memory or on a disk that take part in a run with a journal. Shared by all copies of the package: each run would write what the
 * other one does not know of.
 */
function filesystemsInUse(): WeakSet<Filesystem> {
  return processWide('filesystems-in-use.1', () => new WeakSet());
}

/** A run whose rows go to a journal, from its lease to its end. */
export class JournalingEvaluator {
  readonly hooks: RunHooks;
  /** Aborted when the run is lost, and by the signal of its options. */
  readonly signal: AbortSignal;
  readonly #parts: JournalingEvaluatorParts;
  readonly #writer: JournalWriter;
  readonly #ending = new AbortController();
  #filesystem: Filesystem | undefined;
  #loss: RunLostError | undefined;

  constructor(parts: JournalingEvaluatorParts) {
    const { journal, lease, runId, session, options, rows, known, resumed } = parts;
    const clock = options.clock ?? session.clock ?? systemClock;
    this.#parts = parts;
    const signals = [this.#ending.signal, ...(options.signal === undefined ? [] : [options.signal])];
    this.signal = AbortSignal.any(signals);
    const summary = new RunSummaryKeeper(clock, known);
    const writer = new JournalWriter({
      journal,
      lease,
      runId,
      rows: rows?.count ?? 0,
      summary: () => summary.current(),
      onLost: (error) => this.#lose(error),
    });
    const recorder = new Recorder({
      write: (line, type) => writer.add(line, type),
      runId,
      clock,
      maxContentBytes: Infinity,
      marksDeliveries: true,
      onFailure: (error) => writer.lose(lostBy(runId, 'A row could not be made', error)),
    });
    if (rows !== undefined) recorder.continueAfter({ ...rows, blobs: rows.blobs.keys() });
    this.#writer = writer;
    this.hooks = new RunHooks({
      runId,
      session,
      lease,
      writer,
      recorder,
      summary,
      resumed,
      onPending: parts.onPending,
      logger: options.logger,
      database: journal['~database'],
      input: parts.input ?? [],
    });
    lease.signal.addEventListener('abort', this.#loseLease, { once: true });
  }

  /** Why the run is over; undefined while its rows are written. */
  get loss(): RunLostError | undefined {
    return this.#loss;
  }

  /**
   * Before the first step.
   *
   * @throws {PromptValidationError} when another run with a journal uses the files: it would commit what it has read and no row has decided.
   */
  async begin(environment: EvaluationEnvironment): Promise<void> {
    const { runId } = this.#parts;
    const { filesystem } = environment.roots;
    if (filesystem !== undefined && filesystemsInUse().has(filesystem)) {
      throw new PromptValidationError(
        `The run "${runId}" cannot use its file system: another run with a journal uses it. Wait for its end, or give each run files of its own.`,
        { details: { runId } },
      );
    }
    if (filesystem !== undefined) filesystemsInUse().add(filesystem);
    this.#filesystem = filesystem;
    await this.hooks.onBegun(environment);
  }

  /**
   * Resolves when all rows so far are durable.
   *
   * @throws {RunLostError}
   */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** The run has ended: session and files belong to the caller again. The lease is still held. */
  end(): void {
    this.hooks.end();
    this.#parts.lease.signal.removeEventListener('abort', this.#loseLease);
    if (this.#filesystem !== undefined) filesystemsInUse().delete(this.#filesystem);
    this.#filesystem = undefined;
  }

  readonly #loseLease = (): void => {
    const { lease, runId, session } = this.#parts;
    this.#writer.lose(
      lostBy(runId, `The lease of the session "${session.id}" was lost`, lease.signal.reason),
    );
  };

  #lose(error: RunLostError): void {
    this.#loss = error;
    this.#parts.session.lose(error);
    this.#filesystem?.lose?.(error);
    this.#ending.abort(error);
  }
}

function lostBy(runId: string, what: string, cause: unknown): RunLostError {
  return new RunLostError(`${what}, so the run "${runId}" ended: ${describeError(cause)}`, {
    cause,
    details: { runId },
  });
}
