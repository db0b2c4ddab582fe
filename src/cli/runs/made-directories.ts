import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Filesystem, PutBackPath } from '../../core/filesystem/index.ts';
import { type ChangesBack, rewindFolder } from '../../durable/internal.ts';

/**
 * The directories that a run has made for its files, and in which nothing is left when these are gone. Rows do not name them, so the disk
 * says when each was made: one that is older than the place where the run is taken back to stays, and so does one of which that is not known.
 *
 * @param atMs the time of that place, in milliseconds since the Unix epoch.
 */
export function madeDirectories(
  filesystem: Filesystem,
  { paths }: Pick<ChangesBack, 'paths'>,
  atMs: number,
): readonly PutBackPath[] {
  const { hostPath } = filesystem;
  if (hostPath === undefined || !isTimeKept(hostPath)) return [];
  const known = new Set(paths.map(({ path }) => path));
  const removed = paths.filter(({ found, wanted }) => found?.kind !== 'absent' && wanted.kind === 'absent');
  const above = new Set(removed.flatMap(({ path }) => directoriesAbove(path)));
  const made = [...above]
    .filter((path) => !known.has(path) && isMadeSince(join(hostPath, path), atMs))
    .map((path): PutBackPath => ({ path, found: { kind: 'directory' }, wanted: { kind: 'absent' } }));
  if (made.length === 0) return [];
  // What has files of others stays, and is not worth a word: the rows do not say that it is the run's.
  const { fitting } = rewindFolder(filesystem, { paths: [...paths, ...made] });
  return made.filter(({ path }) => fitting.includes(path));
}

function directoriesAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === '.' ? [] : [above, ...directoriesAbove(above)];
}

function isMadeSince(path: string, atMs: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return found.birthtimeMs >= atMs;
}

/** Whether the disk keeps when something was made: else that time is 0, or that of the last change. */
function isTimeKept(folder: string): boolean {
  const { birthtimeMs, ctimeMs } = lstatSync(folder);
  return birthtimeMs > 0 && birthtimeMs < ctimeMs;
}
