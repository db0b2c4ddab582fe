import { RunRefusedError } from '../../core/error/index.ts';
import type { Filesystem, PutBackPath } from '../../core/filesystem/index.ts';
import { none, quoteText } from '../../core/internal/index.ts';
import { foldFiles, putBackPath } from '../rows/folded-files.ts';
import { changesOfRow, type RunRows } from '../rows/run-rows.ts';

/** What a resumed run does about a folder that is not as its rows left it. */
export type ResumedFiles = 'check' | 'restore' | 'as-is';

/** Maximum number of paths that a message names. */
const maxNamed = 5;

/**
 * Compares a folder with what all commits of a run have left in it, or makes it so. Does nothing for files in memory, and where changes are held back: there the
 * changes of the run are made again.
 *
 * @throws {RunRefusedError} `run-files-differ`: with `check` when the folder differs; with `restore` when something is in the way that is not the run's, or a content is
 * not known. Nothing was written.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export function settleFiles(
  filesystem: Pick<Filesystem, '~putBack' | 'stage'> | undefined,
  { root, blobs, header }: Pick<RunRows, 'root' | 'blobs' | 'header'>,
  files: ResumedFiles,
): void {
  if (files === 'as-is' || filesystem?.stage === undefined || filesystem['~putBack'] === undefined) return;
  const commits = root.decisions.flatMap((decision) =>
    decision.kind === 'call' && decision.row.type === 'commit' ? [changesOfRow(decision.row, blobs)] : [],
  );
  const spans = foldFiles(commits);
  const paths = [...spans].map(([path, { first, last }]) =>
    putBackPath({ path, found: first, wanted: last }),
  );
  // Directories that went with all that was in them. One that has files again is there.
  const removed = new Set(commits.flat().flatMap(({ removedWith }) => removedWith ?? none));
  for (const path of removed)
    if (!spans.has(path)) paths.push({ path, found: { kind: 'directory' }, wanted: { kind: 'absent' } });
  const isRestored = files === 'restore';
  const wanted = isRestored ? paths.map((path): PutBackPath => ({ ...path, found: undefined })) : paths;
  const { fitting, outside } = filesystem['~putBack'](wanted, isRestored);
  const wrong = isRestored ? outside : [...fitting, ...outside].sort();
  if (wrong.length > 0) throw differError(header.runId, files, wrong);
}

function differError(runId: string, files: ResumedFiles, paths: readonly string[]): RunRefusedError {
  const named = paths.slice(0, maxNamed).map(quoteText).join(', ');
  const rest = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const [what, remedy] =
    files === 'restore'
      ? ['cannot be restored', 'Move what is in the way, or resume it with files: "as-is".']
      : [
          'are not as the run left them',
          'Give it the folder that it worked on, or resume it with files: "restore" to write what its rows hold, or with files: "as-is" to go on with what is there.',
        ];
  return new RunRefusedError(
    'run-files-differ',
    `The run "${runId}" cannot be resumed: files of its folder ${what}: ${named}${rest}. ${remedy}`,
    { details: { runId, paths } },
  );
}
