import type {
  Checked,
  openHeldToolRuntime,
  ToolRuntime,
  ToolRuntimeOptions,
} from '../core/evaluation/index.ts';
import { none, present } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import { isSuspension, type RunJournal } from '../core/runtime/index.ts';
import { systemClock } from '../core/session/index.ts';
import { questionsOf } from './rows/recorded-answers.ts';
import { RunHooks } from './run/run-hooks.ts';
import { acquireNewRun } from './run/run-on-journal.ts';
import { WaitingQuestions } from './run/waiting-questions.ts';

/**
 * Opens a tool runtime with a journal.
 *
 * @param open opens it. Imported here, it would be part of every program that can have a journal.
 * @throws {PromptValidationError} for a run that the journal has already, and as `openToolRuntime`.
 * @throws {SessionBusyError} while another process holds the session.
 * @throws {RunLostError} when the journal has failed.
 * @see docs/spec/durable-runs.md §11
 */
export async function openRuntimeDurably<Output>(
  prompt: Prompt<Output>,
  given: ToolRuntimeOptions & Checked & { readonly journal: RunJournal },
  open: typeof openHeldToolRuntime,
): Promise<ToolRuntime<Output>> {
  const { approve: approver, runId: _runId, ...options } = given;
  const run = await acquireNewRun(given, 'Give this one another runId.');
  const { journal, lease, runId, session, ownsSession } = run;
  const clock = options.clock ?? session.clock ?? systemClock;
  const { logger } = options;
  const waiting = isSuspension(approver)
    ? new WaitingQuestions({ journal, runId, clock, approve: approver, logger })
    : undefined;
  const approve = isSuspension(approver) ? waiting?.approve : approver;
  const journaling = new RunHooks({ journal, lease, runId, session, options, onBegun: waiting?.begin });
  const { signal } = journaling;
  const onReleased = async (): Promise<void> => {
    await waiting?.end();
    journaling.end();
    await lease.release();
  };
  const observers = [...(options.observers ?? none), ...(waiting === undefined ? none : [waiting])];
  try {
    const suspension = questionsOf({ approve: undefined, rows: undefined }, () => clock.now());
    return await open(
      prompt,
      { ...options, session, signal, observers, ...present({ approve }) },
      { journaling, suspension, ownsSession, onReleased },
    );
  } catch (error) {
    await onReleased();
    throw journaling.loss ?? error;
  }
}
