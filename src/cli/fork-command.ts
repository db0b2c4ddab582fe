import { resolve } from 'node:path';
import { PromptValidationError } from '../core/error/index.ts';
import { present } from '../core/internal/index.ts';
import { forkRun } from '../durable/index.ts';
import type { CommandParts } from './agent/command-parts.ts';
import type { ForkRequest } from './commands/fork.ts';
import { openFolder } from './folder/open-folder.ts';
import { journalOption, refuseJournalInside } from './journal/journal-name.ts';
import { namedRun, taskToGoOn } from './journal/named-runs.ts';
import { journalsOf } from './journal/open-journal.ts';
import { updateRunInfo } from './journal/run-info.ts';
import { type CliEnvironment, unlessAborted } from './process/environment.ts';
import { orUsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { resumeCommand } from './resume-command.ts';
import { checkForkFolder } from './runs/fork-folder.ts';

/**
 * Begins a run that has what another one did up to a commit, and continues it as `wink resume` does.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run, a commit or a call that the journal does not have, for a name that is taken, and for a folder that is not as the run had it there; and as
 *   {@link resumeCommand}.
 */
export async function forkCommand(
  request: ForkRequest,
  environment: CliEnvironment,
  parts: Partial<CommandParts> = {},
): Promise<number> {
  const { signal, stderr } = environment;
  const { resume } = request;
  const { journals = journalsOf(environment), open = openFolder } = parts;
  const { of, runId } = await unlessAborted(fork(request, { journals, open }), signal);
  stderr.write(
    `wink: the fork of ${printable(of)} is kept as ${printable(runId)}; should it be interrupted: wink resume ${printable(runId)}${journalOption(resume.journalNames)}\n`,
  );
  return resumeCommand({ ...resume, runId }, environment, parts);
}

/** A fork, and the run that it is one of. */
interface MadeFork {
  readonly of: string;
  readonly runId: string;
}

async function fork(
  { at, newRunId, workspace, resume }: ForkRequest,
  { journals, open }: Pick<CommandParts, 'journals' | 'open'>,
): Promise<MadeFork> {
  const { journalNames } = resume;
  await using opened = await journals.openExisting(journalNames);
  const { journal, run } = await namedRun(opened, resume.runId, journalNames);
  const { runId } = run;
  const { info, task } = taskToGoOn(run, journalNames, 'fork');
  refuseJournalInside(journalNames, journals.pathsOf(journalNames), workspace);
  const begin = async (): Promise<MadeFork> => {
    const folder = await checkForkFolder({
      journal,
      run,
      at,
      workspace,
      open,
      journalOption: journalOption(journalNames),
    });
    const forked = await forkRun({ journal, runId, at, ...present({ newRunId }) });
    // It is called as the run was, in its own folder, where nothing is written yet that is written at the end.
    const place = workspace === undefined ? {} : { workspace: resolve(workspace) };
    const kept = { ...info, request: { kind: 'run', ...task, ...place } as const, isApplied: false };
    await updateRunInfo(journal, forked.runId, kept, folder);
    return { of: runId, runId: forked.runId };
  };
  return await orUsageError(begin, ({ message }) => printable(message), PromptValidationError);
}
