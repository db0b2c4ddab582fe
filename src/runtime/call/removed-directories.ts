import type { FileChange } from '../../filesystem/index.ts';
import { none } from '../../internal/index.ts';
import type { CallPatch } from './transaction.ts';

/** The directories that a patch removes with all that was in them; undefined when it removes none. @param files what it changes, file by file. */
export function removedDirectoriesOf(
  patch: CallPatch | undefined,
  files: readonly FileChange[],
): readonly string[] | undefined {
  const removed = (patch?.files?.changes ?? none).flatMap(({ op, path }) => (op === 'remove' ? [path] : []));
  if (removed.length === 0) return undefined;
  const single = new Set(
    files.flatMap(({ kind, entry, path }) => (kind === 'removed' && entry === 'file' ? [path] : [])),
  );
  const directories = removed.filter((path) => !single.has(path));
  return directories.length === 0 ? undefined : directories;
}
