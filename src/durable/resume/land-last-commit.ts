import type { Filesystem, LandableChange, LandingReport } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { CommitRow, ContentReference, RowFileChange } from '../../record/index.ts';
import type { CallDecision, Decision, RunRows } from '../rows/run-rows.ts';
import { bytesOf } from './resumed-call.ts';

/**
 * Brings the last commit of a run to the disk when it was decided and perhaps not done: by content, so that it does not matter how far it
 * was. Undefined: the files are not on a disk.
 *
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export function landLastCommit(
  filesystem: Pick<Filesystem, '~land'> | undefined,
  runId: string,
  rows: Pick<RunRows, 'root' | 'blobs'>,
): LandingReport | undefined {
  const land = filesystem?.['~land'];
  // Calls of other turns may have failed since.
  const last = rows.root.decisions.findLast(isCommit);
  const changes =
    last === undefined || last.delivered !== undefined ? [] : landableChanges(last.row, rows.blobs);
  return land?.(changes, runId);
}

function isCommit(decision: Decision): decision is CallDecision & { readonly row: CommitRow } {
  return decision.kind === 'call' && decision.row.type === 'commit';
}

/** The files of a commit, to be done again by content. */
export function landableChanges(
  { files }: Pick<CommitRow, 'files'>,
  blobs: RunRows['blobs'],
): readonly LandableChange[] {
  return files.map((change) => landableChange(change, blobs));
}

function landableChange(
  { before, after, ...change }: RowFileChange,
  blobs: RunRows['blobs'],
): LandableChange {
  return {
    ...change,
    ...present({
      before: before === undefined ? undefined : markOf(before),
      after: after === undefined ? undefined : { ...markOf(after), data: () => bytesOf(after, blobs) },
    }),
  };
}

function markOf({ hash, bytes }: ContentReference): { readonly hash: string; readonly bytes: number } {
  return { hash, bytes };
}
