import { changesBack, type RewindReport, rewindFolder } from '../../durable/internal.ts';
import {
  describeError,
  FilesystemError,
  PromptValidationError,
  SessionBusyError,
} from '../../error/index.ts';
import type { FileChange } from '../../filesystem/index.ts';
import { counted, showName } from '../../internal/index.ts';
import type { JournaledRun, RunJournal, RunLease } from '../../runtime/index.ts';
import { runNamed } from '../durable/named-runs.ts';
import { type JournalFiles, sqliteJournalFiles } from '../durable/open-journal.ts';
import { listRuns } from '../durable/run-info.ts';
import { type CliEnvironment, exitCodes } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { createTextStyle } from '../process/text-style.ts';
import { formatChangeDiff } from '../report/change-diff.ts';
import { FolderError, type OpenedFolder, openFolder } from '../run/open-folder.ts';
import type { RewindRequest } from './rewind-arguments.ts';

/** What the command takes from outside, so that tests can replace it. */
export interface RewindParts {
  readonly journals: JournalFiles;
  readonly open: typeof openFolder;
}

const maxLines = 200;

/**
 * Puts the folder of a run back to how it was after a commit, or shows what that would change.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run, a commit or a call that the journal does not have, for a run that is running or works on no folder, for a folder that lacks its last commit, and for
 *   one that cannot be opened.
 */
export async function rewindCommand(
  request: RewindRequest,
  { stdout, variables }: Pick<CliEnvironment, 'stdout' | 'variables'>,
  { journals = sqliteJournalFiles, open = openFolder }: Partial<RewindParts> = {},
): Promise<number> {
  const { runId, isApplied, isFull } = request;
  await using journal = await journals.openExisting(request.journalFile);
  const run = runNamed(journal === undefined ? [] : await listRuns(journal, {}), runId);
  if (journal === undefined) return exitCodes.done;
  const { seq, changes } = await readChanges(request, run, journal);
  const folder = await openedFor(open, run, journal);
  const write = (lines: readonly string[]): void => {
    for (const line of lines) stdout.write(`${line}\n`);
  };
  let lease: RunLease | undefined;
  try {
    // No one goes on with the run meanwhile.
    lease = await journal.acquire(run.sessionId);
    const report = await rewindFolder(folder.filesystem, changes, isApplied);
    const written = changes.filter(({ path }) => report.fitting.includes(path));
    const style = createTextStyle(stdout, variables);
    write(formatChangeDiff(written, { maxLines: isFull ? Number.POSITIVE_INFINITY : maxLines, style }));
    write(ending(report, { runId, seq, isApplied, changes }));
    return report.outside.length === 0 ? exitCodes.done : exitCodes.conflict;
  } catch (error) {
    if (SessionBusyError.isInstance(error)) throw runningError(runId);
    if (!FilesystemError.isInstance(error)) throw error;
    write([`nothing was written: ${printable(describeError(error))}`]);
    return exitCodes.failed;
  } finally {
    await folder.close();
    await lease?.release();
  }
}

async function readChanges(
  { to }: RewindRequest,
  { runId, status }: JournaledRun,
  journal: RunJournal,
): ReturnType<typeof changesBackOf> {
  if (status === 'running') throw runningError(runId);
  return changesBackOf(journal, runId, to);
}

const runningError = (runId: string): UsageError =>
  new UsageError(`the run "${printable(runId)}" is still running.`);

async function changesBackOf(
  journal: RunJournal,
  runId: string,
  to: number | string,
): Promise<ReturnType<typeof changesBack>> {
  try {
    return changesBack(runId, await journal.read(runId), to);
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    throw new UsageError(printable(describeError(error)), { cause: error });
  }
}

/** With every file: the run saw those that it has changed, whatever its agent leaves out. */
async function openedFor(
  open: typeof openFolder,
  { runId, workspace }: JournaledRun,
  journal: RunJournal,
): Promise<OpenedFolder> {
  const name = printable(runId);
  if (workspace === undefined) throw new UsageError(`the run "${name}" works on no folder.`);
  let folder: OpenedFolder;
  try {
    folder = await open(workspace, { defaultExcludes: false }, 'each', { journal });
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  if (folder.pending.length === 0) return folder;
  await folder.close();
  const [first] = folder.pending;
  throw new UsageError(
    `the folder lacks a commit of the run "${printable(first?.runId ?? runId)}": wink runs settle ${printable(first?.runId ?? runId)} first.`,
  );
}

interface Rewound {
  readonly runId: string;
  readonly seq: number;
  readonly isApplied: boolean;
  readonly changes: readonly FileChange[];
}

function ending(
  { fitting, present, outside }: RewindReport,
  { runId, seq, isApplied, changes }: Rewound,
): readonly string[] {
  const where = seq === 0 ? 'before its first commit' : `after its commit ${seq}`;
  const name = printable(runId);
  if (changes.length === present.length) return [`the folder is as ${name} had it ${where}.`];
  const named = outside.map((path) => `changed by another process: ${showName(path)}`);
  if (outside.length > 0) return [...named, 'nothing was written: remove these changes, or move them away.'];
  const files = counted(fitting.length, 'path');
  return isApplied
    ? [`wrote ${files}: the folder is as ${name} had it ${where}.`]
    : [`nothing was written; --apply puts ${files} back to how ${name} had the folder ${where}.`];
}
