import {
  describeError,
  FilesystemError,
  PromptValidationError,
  SessionBusyError,
} from '../../core/error/index.ts';
import type { PutBackReport } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import type { RunJournal, RunLease } from '../../core/runtime/index.ts';
import {
  type ChangesBack,
  changesBack,
  type RewindPlace,
  rewindFolder,
  rewindPlace,
} from '../../durable/internal.ts';
import type { CommandParts } from '../agent/command-parts.ts';
import type { RewindRequest } from '../commands/rewind.ts';
import { openFolder } from '../folder/open-folder.ts';
import { namedRun, runningError } from '../journal/named-runs.ts';
import { journalsOf } from '../journal/open-journal.ts';
import { folderStateOf, openRunFolder } from '../journal/run-folder.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { createTextStyle } from '../process/text-style.ts';
import { formatChangeDiff } from '../report/text/change-diff.ts';
import { madeDirectories } from './made-directories.ts';

const maxLines = 200;

/**
 * Puts the folder of a run back to how it was after a commit, or shows what that would change.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a run, a commit or a call that the journal does not have, for a run that is running or works on no folder, for a folder that lacks its last commit, for
 *   one that cannot be opened, and for contents that the journal does not have.
 */
export async function rewindCommand(
  request: RewindRequest,
  {
    cacheFolder,
    stderr,
    stdout,
    variables,
  }: Pick<CliEnvironment, 'cacheFolder' | 'stderr' | 'stdout' | 'variables'>,
  {
    journals = journalsOf({ cacheFolder, variables }),
    open = openFolder,
  }: Partial<Pick<CommandParts, 'journals' | 'open'>> = {},
): Promise<number> {
  const { isApplied, isFull } = request;
  const write = (lines: readonly string[]): void => writeLines(stdout, lines);
  await using opened = await journals.openExisting(request.journalNames);
  const { journal, run } = await namedRun(opened, request.runId, request.journalNames);
  const { runId } = run;
  const name = printable(runId);
  if (run.status === 'running') throw runningError(runId);
  const workspace = request.workspace ?? run.workspace;
  if (run.workspace === undefined || workspace === undefined)
    throw new UsageError(`the run "${name}" works on no folder.`);
  const { place } = await readChanges({ ...request, runId }, journal);
  for (const line of placeLines(place)) stderr.write(`wink: ${line}\n`);
  if (request.workspace === undefined && folderStateOf(run)?.hasChanges === false) {
    write([`the changes of ${name} are not in the folder, so there is nothing to put back.`]);
    return exitCodes.done;
  }
  const mode = isApplied ? 'each' : undefined;
  const folder = await openRunFolder(open, { runId, folder: workspace }, mode, journal);
  let lease: RunLease | undefined;
  try {
    // No one continues the run while the folder is written.
    if (isApplied) lease = await journal.acquire(run.sessionId);
    const { back, place: now } = await readChanges({ ...request, runId }, journal);
    // A copy has made all its directories anew.
    const directories =
      request.workspace === undefined ? madeDirectories(folder.filesystem, back, now.atMs) : [];
    const paths = [...back.paths, ...directories];
    const report = rewindFolder(folder.filesystem, { paths }, isApplied);
    const removed = directories.map(({ path }) => ({ path, kind: 'removed', entry: 'directory' }) as const);
    const written = [...back.changes, ...removed].filter(({ path }) => report.fitting.includes(path));
    const style = createTextStyle(stdout, variables);
    write(formatChangeDiff(written, { maxLines: isFull ? Number.POSITIVE_INFINITY : maxLines, style }));
    write(ending(report, { name, seq: now.seq, isApplied }));
    return report.outside.length + report.left.length === 0 ? exitCodes.done : exitCodes.conflict;
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

/** @throws {UsageError} */
async function readChanges(
  { isBefore, runId, to }: Pick<RewindRequest, 'isBefore' | 'runId' | 'to'>,
  journal: RunJournal,
): Promise<{ readonly back: ChangesBack; readonly place: RewindPlace }> {
  const rows = await journal.read(runId);
  const wordsOf = ({ message }: Error): string => printable(message);
  if (isBefore && to === 0) throw new UsageError('--before 0 names no commit; the first commit is number 1.');
  const place = orUsageError(() => rewindPlace(runId, rows, to, isBefore), wordsOf, PromptValidationError);
  const back = orUsageError(() => changesBack(runId, rows, place.seq), wordsOf, PromptValidationError);
  const [missing] = back.missing;
  if (missing === undefined) return { back, place };
  throw new UsageError(
    `the run "${printable(runId)}" cannot be taken back there: its journal does not have what was at ${showName(missing)}.`,
  );
}

/** What became of a call that was not committed. */
const outcomeWords: Readonly<Record<string, string>> = {
  denied: 'was denied',
  rejected: 'was rejected',
  aborted: 'was stopped',
  'rolled-back': 'was rolled back',
  committed: 'was undone',
};

/** What is said where the named call has no commit. */
function placeLines({ next, uncommitted }: RewindPlace): readonly string[] {
  if (uncommitted === undefined) return [];
  const { id, outcome = '' } = uncommitted;
  const what = `the call ${printable(id)} ${outcomeWords[outcome] ?? 'did not end'} and has changed nothing`;
  return [
    next === undefined
      ? `${what}, and no commit came after it.`
      : `${what}: this goes back to before the next commit, number ${next.seq}, of ${printable(next.callId)}.`,
  ];
}

interface Rewound {
  readonly name: string;
  readonly seq: number;
  readonly isApplied: boolean;
}

function ending(
  { fitting, outside, left }: PutBackReport,
  { name, seq, isApplied }: Rewound,
): readonly string[] {
  const where = seq === 0 ? 'before its first commit' : `after its commit ${seq}`;
  if (outside.length > 0) {
    return [
      ...outside.map((path) => `changed by another process: ${showName(path)}`),
      'nothing was written: remove these changes, or move them away.',
    ];
  }
  const kept = left.map(
    (path) => `${isApplied ? 'left' : 'stays'}: ${showName(`${path}/`)}, which has files of another process`,
  );
  const files = counted(fitting.length, 'path');
  const rest = left.length === 0 ? '' : 'but for the directories above, ';
  if (fitting.length === 0) return [...kept, `${rest}the folder is as ${name} had it ${where}.`];
  return isApplied
    ? [...kept, `wrote ${files}: ${rest}the folder is as ${name} had it ${where}.`]
    : [...kept, `nothing was written; --apply puts ${files} back to how ${name} had the folder ${where}.`];
}
