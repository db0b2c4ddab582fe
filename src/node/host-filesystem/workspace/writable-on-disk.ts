import { accessSync, constants } from 'node:fs';
import { segmentsOf, type TreeDifference } from '../../../filesystem/index.ts';
import { diskError } from '../jail/disk-error.ts';
import type { HostJail, Segments } from '../jail/jail.ts';

/**
 * Finds out, when changes are made, what the disk would refuse when they are brought to it later.
 * @throws {FilesystemError} `permission-denied` for a write-protected file or directory, `storage-failed` for a read-only disk.
 */
export function assertWritableOnDisk(jail: HostJail, differences: readonly TreeDifference[]): void {
  for (const { path, before, after } of differences) {
    const segments = segmentsOf(path);
    const isReplaced = before?.kind === 'file' && after?.kind === 'file';
    try {
      if (isReplaced && jail.statOf(segments)?.isFile() === true) assertWritable(jail, segments);
      assertWritable(jail, nearestDirectory(jail, segments.slice(0, -1)));
    } catch (error) {
      throw diskError(path, error);
    }
  }
}

/** The directory, or the nearest one above it that is on the disk. */
function nearestDirectory(jail: HostJail, segments: Segments): Segments {
  for (let length = segments.length; length > 0; length -= 1) {
    const nearest = segments.slice(0, length);
    if (jail.statOf(nearest)?.isDirectory() === true) return nearest;
  }
  return [];
}

function assertWritable(jail: HostJail, segments: Segments): void {
  jail.within(segments.slice(0, -1), (pathOf) => accessSync(pathOf(segments.at(-1)), constants.W_OK));
}
