import type { Filesystem } from '../filesystem/index.ts';
import type { RunRows } from './run-rows.ts';

/**
 * Brings the last commit of a run to the disk when it was decided and perhaps not done: by content, so that it does not matter how far it
 * was.
 *
 * @returns paths that others have changed, which are left as they are.
 */
export async function landLastCommit(
  _filesystem: Filesystem | undefined,
  _rows: RunRows,
): Promise<readonly string[]> {
  return [];
}
