import type { Filesystem } from '../../core/filesystem/index.ts';
import { processWide } from '../../core/internal/index.ts';

/**
 * File systems in memory or on a disk that take part in a run with a journal. Shared by all copies of the package: each run would write what the
 * other one does not know of.
 */
export function filesystemsInUse(): WeakSet<Filesystem> {
  return processWide('filesystems-in-use.1', () => new WeakSet());
}
