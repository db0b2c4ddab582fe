import { describeError, FilesystemError } from '../../error/index.ts';
import type { FileChange } from '../../filesystem/index.ts';
import { counted, showName } from '../../internal/index.ts';
import type { OutsideChange } from '../../node/index.ts';
import { printable } from '../process/plain-text.ts';
import type { OpenedFolder } from './open-folder.ts';

/** A file that somebody else has changed, so that a change of the run was not written. */
export interface ApplyConflict {
  /** Relative to the folder. */
  readonly path: string;
  /** What is the matter, without the path: `was changed on disk meanwhile`. */
  readonly reason: string;
}

/** Files that the run has changed on the disk, sorted. */
export interface AppliedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/**
 * What became of the changes of a run.
 *
 * - `off`: they were not meant to be written. `skipped`: they were not written since the run did not end well.
 * - `applied`: they are on the disk, as far as the run came.
 * - `conflict`: somebody else has changed the same files. At the end of a run nothing was written then; call by call, what
 *   `written` and `removed` name was, and the named calls were not done.
 * - `failed`: the operating system refused at `path`. Nothing was written.
 */
export type Application =
  | { readonly kind: 'off' }
  | { readonly kind: 'skipped' }
  | ({ readonly kind: 'applied' } & AppliedFiles)
  | ({ readonly kind: 'conflict'; readonly conflicts: readonly ApplyConflict[] } & AppliedFiles)
  | { readonly kind: 'failed'; readonly path: string; readonly reason: string };

const reasons: Readonly<Record<OutsideChange['kind'], string>> = {
  changed: 'was changed on disk meanwhile',
  created: 'exists on disk now',
  removed: 'is gone from the disk',
};

/** What of a run decides what is written. */
export interface EndedRun {
  readonly failure: string | undefined;
  readonly interruption: unknown;
  readonly changes: readonly FileChange[];
  /** Calls that were given up because of what somebody else did to the folder. */
  readonly callConflicts: readonly ApplyConflict[];
}

/** At the end changes are written when the run went well, and only then; call by call they are on the disk already. */
export function applyChanges(run: EndedRun, folder: OpenedFolder | undefined): Application {
  switch (folder?.mode) {
    case undefined:
      return { kind: 'off' };
    case 'end':
      return run.failure === undefined && run.interruption === undefined
        ? applyAtEnd(folder, run.changes)
        : { kind: 'skipped' };
    case 'each': {
      const { callConflicts: conflicts } = run;
      const files = appliedFiles(run.changes);
      return conflicts.length === 0
        ? { kind: 'applied', ...files }
        : { kind: 'conflict', conflicts, ...files };
    }
  }
}

/** Writes what a run changed to the folder, in one commit: all of it, or nothing. */
function applyAtEnd({ held }: OpenedFolder, changes: readonly FileChange[]): Application {
  if (held === undefined) return { kind: 'off' };
  const nothing = { written: [], removed: [] };
  try {
    const conflicts = held.outsideChanges().map(({ path, kind }) => ({ path, reason: reasons[kind] }));
    if (conflicts.length > 0) return { kind: 'conflict', conflicts, ...nothing };
    held.flush();
    return { kind: 'applied', ...appliedFiles(changes) };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    const path = pathIn(error);
    if (error.code === 'file-changed-on-disk') {
      return { kind: 'conflict', conflicts: [{ path, reason: reasons.changed }], ...nothing };
    }
    return { kind: 'failed', path, reason: describeError(error) };
  }
}

/** The path that an error is about; the folder itself when it names none. */
export function pathIn(error: FilesystemError): string {
  const path = error.details['path'];
  return typeof path === 'string' ? path : '.';
}

/** The paths of changes that are on the disk. */
function appliedFiles(changes: readonly FileChange[]): AppliedFiles {
  return {
    written: changes.filter(({ kind }) => kind !== 'removed').map(({ path }) => path),
    removed: changes.filter(({ kind }) => kind === 'removed').map(({ path }) => path),
  };
}

/** Why the changes are not all in the folder, one line each; none when they are, or were not meant to be. */
export function describeApplication(application: Application): readonly string[] {
  if (application.kind === 'failed') return [`nothing was written: ${printable(application.reason)}`];
  if (application.kind !== 'conflict') return [];
  const { conflicts, written, removed } = application;
  const what = written.length + removed.length === 0 ? 'nothing was written' : 'not every change was written';
  return [
    `${what}: ${counted(conflicts.length, 'conflict')} with the folder on disk.`,
    ...conflicts.map(({ path, reason }) => `${showName(path)}: ${printable(reason)}.`),
  ];
}

/** What of a run stands on the disk, in words; undefined when it is nothing. */
export function describeApplied({ written, removed }: AppliedFiles): string | undefined {
  const parts = [
    ...(written.length === 0 ? [] : [counted(written.length, 'file')]),
    ...(removed.length === 0 ? [] : [`${counted(removed.length, 'file')} removed`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}
