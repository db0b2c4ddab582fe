import { RunRefusedError } from '../../core/error/index.ts';
import {
  type Filesystem,
  type PutBackPath,
  type PutBackReport,
  usualMode,
} from '../../core/filesystem/index.ts';
import { none, quoteText } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import type { RecordedFileChange } from '../../record/index.ts';
import { type FileState, foldDirectories, foldFiles, putBackPath } from '../rows/folded-files.ts';
import { changesOfRow, type RunRows, readRunRows } from '../rows/run-rows.ts';
import { isCommit, landLastCommit } from './land-last-commit.ts';

/** What a resumed run does about a folder that is not as its rows left it. */
export type ResumedFiles = 'check' | 'restore' | 'as-is';

/** Maximum number of paths that a message names. */
const maxNamed = 5;

type FileRows = Pick<RunRows, 'root' | 'blobs' | 'header'>;

/**
 * Brings the last commit of a run to its folder, which may lack it, and compares the folder with what all commits have left there, or makes it so. Compares nothing for files in
 * memory, and where changes are held back: there the changes of the run are made again.
 *
 * @param files undefined: nothing is compared.
 * @returns the paths that are named and left as they are, sorted: with `as-is` all that differ; otherwise what a killed commit has left beside its own.
 * @throws {RunRefusedError} `run-files-differ`: with `check` when the folder differs; with `restore` when something is in the way that is not the run's, or a content is
 * not known. Nothing was written.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export function settleFiles(
  filesystem: Pick<Filesystem, '~land' | '~putBack' | 'stage'> | undefined,
  rows: FileRows,
  files: ResumedFiles | undefined,
): readonly string[] {
  const { runId } = rows.header;
  const land = (): readonly string[] => landLastCommit(filesystem, runId, rows)?.outside ?? none;
  if (files === undefined || filesystem?.stage === undefined) return land();
  const commits = commitsOf(rows);
  const refuse = (paths: readonly string[]): void => {
    if (paths.length > 0 && files !== 'as-is') throw differError(runId, files, paths);
  };
  switch (files) {
    case 'check': {
      if (isUndelivered(rows)) refuse(differingBeforeLast(filesystem, commits));
      const left = land();
      // Landed files are compared, too.
      refuse(differing(filesystem, pathsOf(commits)));
      return left;
    }
    case 'restore': {
      const paths = pathsOf(commits);
      refuse(inTheWay(filesystem, paths));
      const left = land();
      const { outside } = putBack(filesystem, paths.map(whateverIsThere), true);
      refuse(outside);
      return left.filter((path) => paths.every((each) => each.path !== path));
    }
    case 'as-is':
      return [...new Set([...land(), ...differing(filesystem, pathsOf(commits))])].sort();
  }
}

/**
 * The paths of a folder that are not as a run left them there, sorted; empty for files in memory.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 */
export async function differingFiles(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, '~putBack'>,
): Promise<readonly string[]> {
  return differing(filesystem, pathsOf(commitsOf(readRunRows(runId, await journal.read(runId)))));
}

type Commits = readonly (readonly RecordedFileChange[])[];

function commitsOf({ root, blobs }: Pick<RunRows, 'root' | 'blobs'>): Commits {
  return root.decisions.filter(isCommit).map(({ row }) => changesOfRow(row, blobs));
}

function isUndelivered({ root }: Pick<RunRows, 'root'>): boolean {
  const last = root.decisions.findLast(isCommit);
  return last !== undefined && last.delivered === undefined;
}

/** How each path was before the first commit, as `found`, and how the last one has left it, as `wanted`. */
function pathsOf(commits: Commits): readonly PutBackPath[] {
  const spans = foldFiles(commits);
  const directories = foldDirectories(commits);
  const paths = [...spans].map(([path, { first, last }]): PutBackPath => {
    const isUnnamed = last.kind === 'absent' || last.kind === 'directory';
    const wanted: FileState = isUnnamed
      ? { kind: directories.get(path) === true ? 'directory' : 'absent' }
      : last;
    return { ...putBackPath({ path, found: first, wanted }), permissions: 'executable' };
  });
  // Directories that went with all that was in them. Where one is there for files of the run, these are compared.
  for (const [path, isThere] of directories)
    if (!isThere && !spans.has(path))
      paths.push({ path, found: { kind: 'directory' }, wanted: { kind: 'absent' } });
  return paths;
}

type ComparedFolder = Pick<Filesystem, '~putBack'>;

function putBack(folder: ComparedFolder, paths: readonly PutBackPath[], apply: boolean): PutBackReport {
  return folder['~putBack']?.(paths, apply) ?? { fitting: none, present: none, outside: none, left: none };
}

const whateverIsThere = (path: PutBackPath): PutBackPath => ({ ...path, found: undefined });

/** Where the run has made something and removed it again: whatever is there now differs. */
function comparedPath(path: PutBackPath): PutBackPath {
  const isGone = path.found?.kind === 'absent' && path.wanted.kind === 'absent';
  return isGone ? { ...path, found: { kind: 'file', hash: '', bytes: 0, mode: usualMode } } : path;
}

function differing(folder: ComparedFolder, paths: readonly PutBackPath[]): readonly string[] {
  const { fitting, outside } = putBack(folder, paths.map(comparedPath), false);
  return [...fitting, ...outside].sort();
}

/** What differs before the last commit is brought to the folder: what that one has changed may be as it was before, too. */
function differingBeforeLast(folder: ComparedFolder, commits: Commits): readonly string[] {
  const last = commits.slice(-1);
  const before = new Map(pathsOf(last).map(({ path, found }) => [path, found]));
  const directories = foldDirectories(last);
  for (const { path, wanted } of pathsOf(commits.slice(0, -1)))
    if (before.has(path) || directories.has(path)) before.set(path, wanted);
  const paths = pathsOf(commits).map((path) =>
    before.has(path.path) ? { ...path, found: before.get(path.path) } : comparedPath(path),
  );
  const { fitting, outside } = putBack(folder, paths, false);
  return [...fitting.filter((path) => !before.has(path)), ...outside].sort();
}

/** What keeps a folder from becoming as the run left it. */
function inTheWay(folder: ComparedFolder, paths: readonly PutBackPath[]): readonly string[] {
  const { outside, left } = putBack(folder, paths.map(whateverIsThere), false);
  if (left.length === 0) return outside;
  // A directory that the run has removed may stay for files of others; another kind of entry may not be there.
  const differs = new Set(differing(folder, paths));
  return [...outside, ...left.filter((path) => differs.has(path))].sort();
}

function differError(runId: string, files: ResumedFiles, paths: readonly string[]): RunRefusedError {
  const named = paths.slice(0, maxNamed).map(quoteText).join(', ');
  const rest = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const [what, remedy] =
    files === 'restore'
      ? ['cannot be restored', 'Move what is in the way, or resume it with files: "as-is".']
      : [
          'are not as the run left them',
          'Give it the folder that it worked on, or resume it with files: "restore" to write what its rows hold, or with files: "as-is" to continue with what is there.',
        ];
  return new RunRefusedError(
    'run-files-differ',
    `The run "${runId}" cannot be resumed: files of its folder ${what}: ${named}${rest}. ${remedy}`,
    { details: { runId, files, paths } },
  );
}
