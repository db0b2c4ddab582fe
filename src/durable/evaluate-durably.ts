import { type Checked, type EvaluateOptions, newSession } from '../core/evaluation/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import type { Approver, LanguageModel, RunJournal, SuspendedRun } from '../core/runtime/index.ts';
import type { NestedAdapter, PromptResponse } from '../core/tool/index.ts';
import { acquireNewRun } from './run/acquire-new-run.ts';
import { runOnJournal } from './run/run-on-journal.ts';

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
  const { journal, runId: name, ...options } = given;
  const session = options.session ?? newSession(options);
  const runId = name ?? session.ids();
  const lease = await acquireNewRun({
    journal,
    runId,
    sessionId: session.id,
    instead: 'Go on with it by resumeRun(), or give this one another runId.',
  });
  try {
    return await runOnJournal({
      evaluator,
      model,
      prompt,
      journal,
      lease,
      runId,
      ready,
      options: { ...options, session },
      ownsSession: options.session === undefined,
    });
  } finally {
    await lease.release();
  }
}
