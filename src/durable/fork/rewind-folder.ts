import type { Filesystem, PutBackReport } from '../../core/filesystem/index.ts';
import type { ChangesBack } from './changes-back.ts';

/**
 * Puts a folder back, by content: each path is as the run left it, as it is to be, or was changed by another process.
 *
 * @param apply whether they are written: all, or none when another process has changed one. Default: they are only compared.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export function rewindFolder(
  filesystem: Filesystem,
  { paths }: Pick<ChangesBack, 'paths'>,
  apply = false,
): PutBackReport {
  const report = filesystem['~putBack']?.(paths, apply);
  if (report === undefined) throw new TypeError('Only files on a disk can be taken back.');
  return report;
}
