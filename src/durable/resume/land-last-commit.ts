import type { Filesystem, LandingReport } from '../../core/filesystem/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { type CommitRow, landableChange } from '../../record/index.ts';
import { withLease } from '../rows/journal-writer.ts';
import {
  type CallDecision,
  changesOfRow,
  type Decision,
  type RunRows,
  readRunRows,
} from '../rows/run-rows.ts';

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

/** A call that was committed. */
export function isCommit(decision: Decision): decision is CallDecision & { readonly row: CommitRow } {
  return decision.kind === 'call' && decision.row.type === 'commit';
}

/**
 * Brings a folder to the last commit that a run decided, without continuing the run. Undefined: the files are not on a disk.
 *
 * @throws {PromptValidationError} for a run that the journal does not have.
 * @throws {SessionBusyError} while another process has the run.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export async function settleRun(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, '~land'>,
): Promise<LandingReport | undefined> {
  const { header } = readRunRows(runId, await journal.read(runId));
  // Another owner may have written until it is leased.
  return withLease(journal, header.sessionId, async () =>
    landLastCommit(filesystem, runId, readRunRows(runId, await journal.read(runId))),
  );
}
