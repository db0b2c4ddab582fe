import { FilesystemError } from '../../../error/index.ts';
import { diskError } from './disk-error.ts';
import type { HostJail } from './jail.ts';

/**
 * Makes sure that the root is still the folder that was opened. Everything is reached from the open folder, so without this
 * a folder that was renamed would go on being read and written under its new name.
 * @throws {FilesystemError} `root-replaced`; `permission-denied`, `storage-failed` when that cannot be found out.
 */
export function assertInPlace(jail: HostJail): void {
  let isInPlace: boolean;
  try {
    isInPlace = jail.isInPlace();
  } catch (error) {
    throw diskError('.', error);
  }
  if (isInPlace) return;
  throw new FilesystemError(
    'root-replaced',
    'The folder is not in its place any more. It was renamed, removed or replaced by another one, so nothing is read ' +
      'from it or written to it. Put it back, or open the folder that is there now.',
    { details: { path: '.' } },
  );
}
