import type { Filesystem, LandingReport } from '../../core/filesystem/index.ts';
import { type CommitRow, landableChange } from '../../record/index.ts';
import { type CallDecision, changesOfRow, type Decision, type RunRows } from '../rows/run-rows.ts';

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
    last === undefined || last.delivered !== undefined
      ? []
      : changesOfRow(last.row, rows.blobs).map(landableChange);
  return land?.(changes, runId);
}

function isCommit(decision: Decision): decision is CallDecision & { readonly row: CommitRow } {
  return decision.kind === 'call' && decision.row.type === 'commit';
}
