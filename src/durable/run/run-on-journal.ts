import { type Checked, type EvaluateOptions, evaluatePrompt } from '../../core/evaluation/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import {
  type Approver,
  isSuspension,
  type LanguageModel,
  type RunJournal,
  type RunLease,
  type SuspendedRun,
} from '../../core/runtime/index.ts';
import { type Session, systemClock } from '../../core/session/index.ts';
import type { NestedAdapter, PromptResponse, UserItem } from '../../core/tool/index.ts';
import { ResumedRun } from '../resume/resumed-run.ts';
import type { RowMigration } from '../resume/row-migration.ts';
import type { RunRows } from '../rows/run-rows.ts';
import { knownSummary } from '../rows/run-summary.ts';
import { JournalingEvaluator } from './journaling-evaluator.ts';
import { questionsOf } from './questions-of.ts';

/** An evaluation with a journal, whose session is leased. */
export interface RunOnJournal<Output> {
  readonly evaluator: NestedAdapter;
  readonly model: LanguageModel;
  readonly prompt: Prompt<Output>;
  /** Without `journal` and `runId`. */
  readonly options: EvaluateOptions<Approver> & Checked & { readonly session: Session };
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

/**
 * Evaluates a prompt, and writes what it decides to a journal.
 *
 * @throws {RunLostError} when the journal, or a disk after the decision, has failed.
 */
export async function runOnJournal<Output>(
  run: RunOnJournal<Output>,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { journal, lease, options, rows, runId, input } = run;
  const { session, approve } = options;
  const clock = options.clock ?? session.clock ?? systemClock;
  const named = { runId, sessionId: lease.sessionId };
  const known = rows === undefined ? undefined : await knownSummary(journal, named, rows, clock.now());
  const resumed = resumedOf(run);
  const journaled = new JournalingEvaluator({
    journal,
    lease,
    runId,
    session,
    options,
    rows,
    known,
    resumed,
    input,
    onPending: isSuspension(approve) ? approve.onPending : undefined,
  });
  const { hooks } = journaled;
  try {
    const response = await evaluatePrompt(
      run.evaluator,
      run.model,
      run.prompt,
      { ...options, journal, signal: journaled.signal },
      {
        ready: run.ready,
        hooks,
        earlier: hooks,
        suspension: questionsOf({ approve, rows }, () => clock.now()),
        onSuspend: hooks.onSuspend,
        ownsSession: run.ownsSession,
        observe: hooks.observe,
        onBegun: (environment) => journaled.begin(environment),
      },
    );
    resumed?.assertUsedUp();
    await journaled.flush();
    return response;
  } catch (error) {
    // How it ended is worth a row, too; one that was lost has no more of them.
    await journaled.flush().catch(() => undefined);
    throw journaled.loss ?? resumed?.divergence ?? error;
  } finally {
    journaled.end();
  }
}

/** Answers from the rows of a run that is resumed. */
function resumedOf<Output>(run: RunOnJournal<Output>): ResumedRun | undefined {
  const { options, rows, runId } = run;
  if (rows === undefined) return undefined;
  return new ResumedRun({
    runId,
    rows,
    migration: run.migration ?? { changed: [], migrated: undefined, inner: [] },
    session: options.session,
    ids: options.ids ?? options.session.ids,
    isStrict: run.isStrict === true,
  });
}
