import { FilesystemError } from '../../../core/error/index.ts';
import type { PutBackPath, PutBackReport } from '../../../core/filesystem/index.ts';
import type { DiskWorkspace } from '../workspace/disk-workspace.ts';
import { assertWritten } from './land-recorded-changes.ts';
import { planPutBack } from './plan-put-back.ts';

/** See `Filesystem['~putBack']`. The comparison and the commit are one step. */
export function putBack(
  workspace: DiskWorkspace,
  paths: readonly PutBackPath[],
  apply: boolean,
): PutBackReport {
  for (const { path } of paths) assertWritten(path);
  if (!apply) return planPutBack(workspace.present().root, paths).report;
  if (!workspace.canStage) {
    throw new FilesystemError(
      'argument-invalid',
      "Paths are put back only in a folder that was opened with writeOn: 'apply'.",
      { details: { option: 'writeOn' } },
    );
  }
  return workspace.change((cell) => {
    const { report, operations } = planPutBack(cell.root, paths);
    if (report.outside.length === 0) cell.update('.', operations);
    return report;
  });
}
