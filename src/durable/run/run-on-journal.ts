import { describeError, PromptValidationError, RunLostError } from '../../error/index.ts';
import { type EvaluateOptions, evaluatePrompt } from '../../evaluation/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import { Recorder, sha256 } from '../../record/internal.ts';
import {
  type Approver,
  type EvaluationEnvironment,
  isSuspension,
  type LanguageModel,
  type RunJournal,
  type RunLease,
  RunSuspension,
  type SuspendedRun,
} from '../../runtime/index.ts';
import { type Session, systemClock } from '../../session/index.ts';
import type { NestedAdapter, PromptResponse, UserItem } from '../../tool/index.ts';
import { RepeatedRun } from '../repeat/repeated-run.ts';
import type { RowMigration } from '../repeat/row-migration.ts';
import { JournalWriter } from '../rows/journal-writer.ts';
import { RecordedAnswers } from '../rows/recorded-answers.ts';
import type { RunRows } from '../rows/run-rows.ts';
import { knownSummary, RunSummaryKeeper } from '../rows/run-summary.ts';
import { DurableRun } from './durable-run.ts';

/** An evaluation with a journal, whose session is leased. */
export interface RunOnJournal<Output> {
  readonly evaluator: NestedAdapter;
  readonly model: LanguageModel;
  readonly prompt: Prompt<Output>;
  /** Without `journal` and `runId`. */
  readonly options: EvaluateOptions<Approver> & { readonly session: Session };
  readonly ownsSession: boolean;
  readonly ready?: (() => Promise<void> | undefined) | undefined;
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  /** The rows of a run that is resumed. */
  readonly rows?: RunRows;
  /** What had to be done so that they fit the session; with `rows`. */
  readonly migration?: RowMigration;
  readonly isStrict?: boolean;
  /** What is said to the model when a run is resumed. Default: nothing. */
  readonly input?: readonly UserItem[];
}

/** File systems in memory or on a disk that take part in a run with a journal. */
const filesystemsInUse = new WeakSet<Filesystem>();

/**
 * Evaluates a prompt, and writes what it decides to a journal.
 *
 * @throws {RunLostError} when the journal, or a disk after the decision, has failed.
 */
export async function runOnJournal<Output>(
  run: RunOnJournal<Output>,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { journal, lease, options, rows, runId } = run;
  const { session } = options;
  const clock = options.clock ?? session.clock ?? systemClock;
  const ending = new AbortController();
  let filesystem: Filesystem | undefined;
  let lost: RunLostError | undefined;
  const named = { runId, sessionId: lease.sessionId };
  const known = rows === undefined ? {} : await knownSummary(journal, named, rows, clock.now());
  const summary = new RunSummaryKeeper(clock, known);
  const writer = new JournalWriter({
    journal,
    lease,
    runId,
    rows: rows?.count ?? 0,
    summary: () => summary.current(),
    onLost: (error) => {
      lost = error;
      session.lose(error);
      filesystem?.lose?.(error);
      ending.abort(error);
    },
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
  const repeated =
    rows === undefined
      ? undefined
      : new RepeatedRun({
          runId,
          rows,
          migration: run.migration ?? { changed: [], migrated: undefined, inside: [] },
          session,
          ids: options.ids ?? session.ids,
          isStrict: run.isStrict === true,
        });
  const suspension = suspensionOf(run, () => clock.now());
  const approval = isSuspension(options.approve) ? options.approve : undefined;
  const durable = new DurableRun({
    ...{ runId, session, lease, writer, recorder, summary, repeated },
    onPending: approval?.onPending,
    logger: options.logger,
    database: journal['~database'],
    input: run.input ?? [],
  });
  const loseLease = (): void =>
    writer.lose(lostBy(runId, `The lease of the session "${session.id}" was lost`, lease.signal.reason));
  lease.signal.addEventListener('abort', loseLease, { once: true });
  const signals = options.signal === undefined ? [ending.signal] : [ending.signal, options.signal];
  try {
    const response = await evaluatePrompt(
      run.evaluator,
      run.model,
      run.prompt,
      { ...options, journal, signal: AbortSignal.any(signals) },
      {
        ready: run.ready,
        hooks: durable,
        replay: durable,
        suspension,
        onSuspend: durable.onSuspend,
        ownsSession: run.ownsSession,
        observe: durable.observe,
        onBegun: async (environment) => {
          filesystem = takeFilesystem(environment, runId);
          await durable.onBegun(environment);
        },
      },
    );
    repeated?.assertUsedUp();
    await writer.flush();
    return response;
  } catch (error) {
    // How it ended is worth a row, too; one that was lost has no more of them.
    await writer.flush().catch(() => undefined);
    throw lost ?? repeated?.divergence ?? error;
  } finally {
    durable.end();
    lease.signal.removeEventListener('abort', loseLease);
    if (filesystem !== undefined) filesystemsInUse.delete(filesystem);
  }
}

/** Where the questions of policies go, and where answers from before are found. */
function suspensionOf<Output>(
  { options: { approve }, rows }: RunOnJournal<Output>,
  now: () => number,
): RunSuspension {
  const wasSuspended = rows !== undefined && rows.pending.length > 0;
  return new RunSuspension({
    digest: sha256,
    hashOf: ({ after }) => (after === undefined ? '' : sha256(after.data())),
    now,
    // A run that waited waits again, unless someone is there to answer.
    opens: isSuspension(approve) || (approve === undefined && wasSuspended),
    expiresMs: isSuspension(approve) ? approve.expiresMs : undefined,
    answers: rows === undefined ? undefined : new RecordedAnswers(rows, now),
  });
}

/** @throws {PromptValidationError} when another run with a journal uses the files: it would commit what it has read and no row has decided. */
function takeFilesystem({ roots }: EvaluationEnvironment, runId: string): Filesystem | undefined {
  const { filesystem } = roots;
  if (filesystem === undefined) return undefined;
  if (filesystemsInUse.has(filesystem)) {
    throw new PromptValidationError(
      `The run "${runId}" cannot use its file system: another run with a journal uses it. Wait for its end, or give each run files of its own.`,
      { details: { runId } },
    );
  }
  filesystemsInUse.add(filesystem);
  return filesystem;
}

function lostBy(runId: string, what: string, cause: unknown): RunLostError {
  return new RunLostError(`${what}, so the run "${runId}" ended: ${describeError(cause)}`, {
    cause,
    details: { runId },
  });
}
