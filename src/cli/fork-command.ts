import { forkRun } from '../durable/index.ts';
import { describeError, PromptValidationError } from '../error/index.ts';
import { type JournalFiles, journalOption, sqliteJournalFiles } from './durable/open-journal.ts';
import { findRun, type RunInfo, readRunInfo, updateRunInfo } from './durable/run-info.ts';
import type { ForkRequest } from './fork/fork-arguments.ts';
import { type CliEnvironment, unlessAborted } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { resumeCommand } from './resume-command.ts';
import type { RunParts } from './run/prepare-run.ts';
import { readRunArguments } from './run/run-arguments.ts';

/**
 * Begins a run that has what another one did up to a commit, and goes on with it as `wink resume` does.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run, a commit or a call that the journal does not have, for a name that is taken, and for a run that has written to its folder since; and as
 *   {@link resumeCommand}.
 */
export async function forkCommand(
  request: ForkRequest,
  environment: CliEnvironment,
  parts: Partial<RunParts> = {},
): Promise<number> {
  const { signal, stderr } = environment;
  const { resume } = request;
  const runId = await unlessAborted(fork(request, parts.journals ?? sqliteJournalFiles), signal);
  stderr.write(
    `wink: the fork of ${printable(resume.runId)} is kept as ${printable(runId)}; should it be interrupted: wink resume ${printable(runId)}${journalOption(resume.journalFile)}\n`,
  );
  return resumeCommand({ ...resume, runId }, environment, parts);
}

async function fork({ at, newRunId, resume }: ForkRequest, journals: JournalFiles): Promise<string> {
  const { runId, journalFile } = resume;
  const name = printable(runId);
  await using journal = await journals.openExisting(journalFile);
  const run = journal === undefined ? undefined : await findRun(journal, runId);
  if (journal === undefined || run === undefined) {
    throw new UsageError(
      `the journal has no run "${name}": wink runs${journalOption(journalFile)} lists those that it has.`,
    );
  }
  const info = readRunInfo(run);
  if (info === undefined) {
    throw new UsageError(
      `the run "${name}" was not begun by wink run: fork it with the program that began it.`,
    );
  }
  if (writesAtEach(info)) {
    throw new UsageError(
      `the run "${name}" writes to its folder as it goes (--apply=each), so its files are not as they were: fork it with forkRun() on a folder of its own.`,
    );
  }
  try {
    const forked = await forkRun({ journal, runId, at, ...(newRunId === undefined ? {} : { newRunId }) });
    // Nothing of the fork is in the folder yet.
    await updateRunInfo(journal, forked.runId, { ...info, isApplied: false });
    return forked.runId;
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    throw new UsageError(printable(describeError(error)), { cause: error });
  }
}

function writesAtEach({ call }: RunInfo): boolean {
  const request = readRunArguments(call);
  return request.kind === 'run' && request.apply === 'each';
}
