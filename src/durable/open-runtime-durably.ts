import {
  type Checked,
  newSession,
  type openHeldToolRuntime,
  type ToolRuntime,
  type ToolRuntimeOptions,
} from '../core/evaluation/index.ts';
import { present } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import { isSuspension, type RunJournal } from '../core/runtime/index.ts';
import { systemClock } from '../core/session/index.ts';
import { acquireNewRun } from './run/acquire-new-run.ts';
import { JournalingEvaluator } from './run/journaling-evaluator.ts';
import { questionsOf } from './run/questions-of.ts';
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
  const { journal, runId: givenId, approve: approver, ...options } = given;
  const session = options.session ?? newSession(options);
  const runId = givenId ?? session.ids();
  const lease = await acquireNewRun({
    journal,
    runId,
    sessionId: session.id,
    instead: 'Give this one another runId.',
  });
  const clock = options.clock ?? session.clock ?? systemClock;
  const journaled = new JournalingEvaluator({ journal, lease, runId, session, options });
  const { hooks } = journaled;
  const { logger } = options;
  const waiting = isSuspension(approver)
    ? new WaitingQuestions({ journal, runId, clock, approve: approver, logger })
    : undefined;
  const approve = isSuspension(approver) ? waiting?.approve : approver;
  const release = async (): Promise<void> => {
    await waiting?.end();
    journaled.end();
    await lease.release();
  };
  try {
    return await open(
      prompt,
      { ...options, session, journal, signal: journaled.signal, ...present({ approve }) },
      {
        hooks,
        earlier: hooks,
        suspension: questionsOf({ approve: undefined, rows: undefined }, () => clock.now()),
        ownsSession: options.session === undefined,
        observe: (users) => waiting?.observe(hooks.observe(users)) ?? hooks.observe(users),
        onBegun: (environment) => {
          waiting?.works(environment.roots.filesystem?.hostPath);
          return journaled.begin(environment);
        },
        flush: () => journaled.flush(),
        loss: () => journaled.loss,
        onReleased: release,
      },
    );
  } catch (error) {
    await release();
    throw journaled.loss ?? error;
  }
}
