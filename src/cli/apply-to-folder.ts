import { FilesystemError } from '../error/index.ts';
import type { FilesystemSnapshot } from '../filesystem/index.ts';
import { type ApplyOutcome, applyChanges } from '../node/index.ts';
import type { OpenedFolder } from './open-folder.ts';
import { counted, printable } from './plain-text.ts';

/** What became of the changes of a run: not asked to be written, not written since the run failed, or the outcome. */
export type Application = { readonly kind: 'off' } | { readonly kind: 'skipped' } | ApplyOutcome;

/** Writes what a run changed back to the folder. */
export async function applyToFolder(folder: OpenedFolder, before: FilesystemSnapshot): Promise<ApplyOutcome> {
  const { hostPath, filesystem } = folder;
  try {
    return await applyChanges({ hostPath, filesystem, since: before });
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return {
      kind: 'failed',
      path: '.',
      reason: 'the folder cannot be opened any more',
      written: [],
      removed: [],
    };
  }
}

/** Why the changes are not all in the folder, one line each; none when they are, or were not meant to be. */
export function describeApplication(application: Application): readonly string[] {
  if (application.kind === 'conflict') {
    const { conflicts } = application;
    return [
      `nothing was written: ${counted(conflicts.length, 'conflict')} with the folder on disk.`,
      ...conflicts.map(({ path, reason }) => `${printable(path)}: ${printable(reason)}.`),
    ];
  }
  if (application.kind !== 'failed') return [];
  const { path, reason, written, removed } = application;
  const done = [...written, ...removed.map((name) => `${name} (removed)`)].map(printable);
  const before = done.length === 0 ? 'nothing was written' : `written before that: ${done.join(', ')}`;
  return [`the changes could not be written: ${printable(path)}: ${reason}; ${before}.`];
}
