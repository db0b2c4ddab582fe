import { assertKeptName, PromptValidationError } from '../../core/error/index.ts';
import {
  type Checked,
  type EvaluateOptions,
  evaluatePrompt,
  newSession,
  type ToolRuntimeOptions,
} from '../../core/evaluation/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import {
  type Approver,
  findRun,
  isSuspension,
  type LanguageModel,
  type RunJournal,
  type RunLease,
  type SuspendedRun,
} from '../../core/runtime/index.ts';
import { type Session, systemClock } from '../../core/session/index.ts';
import type { NestedAdapter, PromptResponse, UserItem } from '../../core/tool/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import { assertMayBegin } from '../rows/cancellation.ts';
import { questionsOf } from '../rows/recorded-answers.ts';
import { knownSummary } from '../rows/run-summary.ts';
import { RunHooks } from './run-hooks.ts';

/** A run in a journal, whose session is leased. */
export interface LeasedRun {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  readonly session: Session;
  readonly ownsSession: boolean;
}

/**
 * Acquires the lease for a run that begins.
 *
 * @param instead what to do about a run that has this name.
 * @throws {PromptValidationError} for a run that the journal has already.
 * @throws {RunRefusedError} `run-cancelled`, for one that was cancelled before it had begun.
 * @throws {SessionBusyError} while another process holds the session.
 */
export async function acquireNewRun(
  options: Pick<ToolRuntimeOptions, 'session' | 'clock' | 'ids' | 'runId'> & { readonly journal: RunJournal },
  instead: string,
): Promise<LeasedRun> {
  const { journal, session = newSession(options) } = options;
  const { runId = session.ids() } = options;
  assertKeptName('ids()', 'a name that it makes', runId);
  const lease = await journal.acquire(session.id);
  try {
    const known = await findRun(journal, runId);
    if (known === undefined)
      return { journal, lease, runId, session, ownsSession: options.session === undefined };
    assertMayBegin(known);
    throw new PromptValidationError(`The journal has a run "${runId}" already. ${instead}`, {
      details: { option: 'runId' },
    });
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/**
 * Begins a run with a journal.
 *
 * @throws {PromptValidationError} for a run that the journal has already, and as `evaluate`.
 * @throws {SessionBusyError} while another process holds the session.
 * @throws {RunLostError} when the journal, or a disk after a decision, has failed.
 */
export async function evaluateDurably<Output>(
  evaluator: NestedAdapter,
  model: LanguageModel,
  prompt: Prompt<Output>,
  given: EvaluateOptions<Approver> & Checked & { readonly journal: RunJournal },
  ready?: () => Promise<void> | undefined,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const instead = 'Continue it by resumeRun(), or give this one another runId.';
  const run = await acquireNewRun(given, instead);
  const { runId: _runId, ...options } = given;
  try {
    return await runOnJournal(run, { evaluator, model, prompt, options, ready });
  } finally {
    await run.lease.release();
  }
}

/** What is evaluated with a journal. */
export interface JournaledEvaluation<Output> {
  readonly evaluator: NestedAdapter;
  readonly model: LanguageModel;
  readonly prompt: Prompt<Output>;
  /** Without `journal`, `runId` and `session`. */
  readonly options: EvaluateOptions<Approver> & Checked;
  readonly ready?: (() => Promise<void> | undefined) | undefined;
  /** Answers from the rows of a run that is resumed. Default: it is a new one. */
  readonly resumed?: ResumedRun;
  /** What is said to the model when a run is resumed. Default: nothing. */
  readonly input?: readonly UserItem[];
}

/**
 * Evaluates a prompt, and writes what it decides to a journal.
 *
 * @throws {RunLostError} when the journal, or a disk after the decision, has failed.
 */
export async function runOnJournal<Output>(
  run: LeasedRun,
  { evaluator, model, prompt, options, ready, resumed, input }: JournaledEvaluation<Output>,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { journal, lease, runId, session, ownsSession } = run;
  const { approve } = options;
  const clock = options.clock ?? session.clock ?? systemClock;
  const now = (): number => clock.now();
  const known = resumed === undefined ? undefined : await knownSummary(journal, resumed.rows, now());
  const onPending = isSuspension(approve) ? approve.onPending : undefined;
  const journaling = new RunHooks({
    journal,
    lease,
    runId,
    session,
    options,
    resumed,
    known,
    input,
    onPending,
  });
  const { signal } = journaling;
  const suspension = questionsOf({ approve, rows: resumed?.rows }, now);
  try {
    const response = await evaluatePrompt(
      evaluator,
      model,
      prompt,
      { ...options, session, journal, signal },
      { ready, journaling, suspension, ownsSession },
    );
    resumed?.assertUsedUp();
    await journaling.flushEnd();
    return response;
  } catch (error) {
    // How it ended is worth a row, too; one that was lost has no more of them.
    await journaling.flushEnd().catch(() => undefined);
    throw journaling.loss ?? resumed?.divergence ?? error;
  } finally {
    journaling.end();
  }
}
