import { present } from '../core/internal/index.ts';
import type { JournaledRun } from '../core/runtime/index.ts';
import type { CommandParts } from './agent/command-parts.ts';
import type { ResumeRequest } from './commands/resume.ts';
import { journalOption } from './journal/journal-name.ts';
import { namedRun, runningError, taskToGoOn } from './journal/named-runs.ts';
import { type Journals, journalsOf } from './journal/open-journal.ts';
import { takesBaseUrl, takesTimeout } from './model/model-choice.ts';
import type { RunRequest, RunTask } from './options/run-task.ts';
import { type CliEnvironment, unlessAborted } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { withSecretNames } from './process/redact.ts';
import { runCommand } from './run-command.ts';

/**
 * Continues a run from its journal, called as it was, and reports as `wink run` does.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run that the journal does not have, that another process has, that another program has begun, or that no one can continue with; and as {@link runCommand}.
 */
export async function resumeCommand(
  request: ResumeRequest,
  environment: CliEnvironment,
  parts: Partial<CommandParts> = {},
): Promise<number> {
  const { journalNames } = request;
  const run = await unlessAborted(
    find(request, parts.journals ?? journalsOf(environment)),
    environment.signal,
  );
  const { runId } = run;
  if (run.status === 'running') {
    const stop = `wink runs stop ${printable(runId)}${journalOption(journalNames)} stops it`;
    throw runningError(runId, `; ${stop}`);
  }
  const { info, task } = taskToGoOn(run, journalNames, 'resume');
  const hiding = withSecretNames(environment, task.redact ?? [], `the run "${printable(runId)}"`);
  return runCommand(requestFor(request, run, task, info.isApplied), hiding, parts);
}

async function find({ runId, journalNames }: ResumeRequest, journals: Journals): Promise<JournaledRun> {
  await using journal = await journals.openExisting(journalNames);
  return (await namedRun(journal, runId, journalNames)).run;
}

/** What the run began with, and the options of now. */
function requestFor(
  { journalNames, isStrict, files, input, limits, outputs, redact, suspension }: ResumeRequest,
  { runId, sessionId, startedAtMs, status, updatedAtMs }: JournaledRun,
  kept: RunTask,
  isApplied: boolean,
): RunRequest {
  if (input !== undefined && isApplied) {
    throw new UsageError(
      `the changes of "${printable(runId)}" are in its folder already, so it cannot continue. Begin another run there.`,
    );
  }
  const { model = kept.model } = limits;
  const ended = status === 'finished' && input === undefined ? { startedAtMs, updatedAtMs } : undefined;
  const task: RunTask = {
    ...kept,
    ...present(limits),
    // What is kept for a model continues only with one that takes it.
    baseUrl: limits.baseUrl ?? (takesBaseUrl(model) ? kept.baseUrl : undefined),
    timeoutMs: limits.timeoutMs ?? (takesTimeout(model) ? kept.timeoutMs : undefined),
    budget: { ...kept.budget, ...limits.budget },
    ...present({ redact: withMore(kept.redact, redact) }),
    suspension: {
      isForced: suspension.isForced || kept.suspension.isForced,
      expiresMs: suspension.expiresMs ?? kept.suspension.expiresMs,
      command: suspension.command ?? kept.suspension.command,
    },
  };
  return {
    kind: 'run',
    ...task,
    ...outputs,
    // Written once: what was changed there since is not written over.
    apply: isApplied && task.apply === 'end' ? undefined : task.apply,
    recordFile: undefined,
    isWatched: false,
    durable: {
      journalNames,
      runId,
      task,
      resumed: { sessionId, isStrict, files, input, isApplied, ended },
    },
  };
}

/** The names that the run began with, and those of now. */
function withMore(
  names: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined {
  return names === undefined ? others : [...new Set([...names, ...(others ?? [])])];
}
