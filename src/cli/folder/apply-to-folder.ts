import { describeError, FilesystemError } from '../../core/error/index.ts';
import type { FileChange, OutsideChange } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { pathIn } from '../../host/index.ts';
import { printable } from '../process/plain-text.ts';
import type { OpenedFolder } from './open-folder.ts';

/** A file that another process has changed, so that a change of the run was not written. */
export interface ApplyConflict {
  /** Relative to the folder. */
  readonly path: string;
  /** The conflict, without the path: `was changed on disk during the run`. */
  readonly reason: string;
}

/** Files that the run has changed on disk, sorted. */
export interface AppliedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/**
 * The state of the changes of a run.
 *
 * - `off`: writing was not requested. `skipped`: not written, since the run did not succeed, or waits for answers.
 * - `applied`: on disk, as far as the run got.
 * - `conflict`: another process has changed the same files. At the end of a run nothing was written then; with writes per
 * call, `written` and `removed` are on disk, and the named calls failed.
 * - `failed`: the operating system refused at `path`. Nothing was written.
 */
export type Application =
  | { readonly kind: 'off' }
  | { readonly kind: 'skipped' }
  | ({ readonly kind: 'applied' } & AppliedFiles)
  | ({ readonly kind: 'conflict'; readonly conflicts: readonly ApplyConflict[] } & AppliedFiles)
  | { readonly kind: 'failed'; readonly path: string; readonly reason: string };

const reasons: Readonly<Record<OutsideChange['kind'], string>> = {
  changed: 'was changed on disk during the run',
  created: 'was created on disk during the run',
  removed: 'was removed from disk during the run',
};

/** The parts of a run that decide whether changes are written. */
export interface RunToApply {
  readonly failure: string | undefined;
  readonly interruption: unknown;
  readonly suspended?: unknown;
  readonly changes: readonly FileChange[];
}

/**
 * At the end changes are written only when the run succeeded; with writes per call they are on disk already.
 * @param meanwhile what others have changed while the run was interrupted.
 */
export async function applyChanges(
  run: RunToApply,
  folder: OpenedFolder | undefined,
  meanwhile: readonly OutsideChange[] = [],
): Promise<Application> {
  switch (folder?.mode) {
    case undefined:
      return { kind: 'off' };
    case 'end':
      return run.failure === undefined && run.interruption === undefined && run.suspended === undefined
        ? applyAtEnd(folder, run.changes, meanwhile)
        : { kind: 'skipped' };
    case 'each': {
      const conflicts = folder.callConflicts.unsettled().map(({ path, toolName }) => ({
        path,
        reason: `was changed on disk while ${toolName} ran, which failed`,
      }));
      const files = appliedFiles(run.changes);
      return conflicts.length === 0
        ? { kind: 'applied', ...files }
        : { kind: 'conflict', conflicts, ...files };
    }
  }
}

/** Writes the changes of a run to the folder in one commit: all, or nothing. */
async function applyAtEnd(
  { held }: OpenedFolder,
  changes: readonly FileChange[],
  meanwhile: readonly OutsideChange[],
): Promise<Application> {
  if (held === undefined) return { kind: 'off' };
  const nothing = { written: [], removed: [] };
  try {
    const outside = new Map([...meanwhile, ...held.outsideChanges()].map(({ path, kind }) => [path, kind]));
    const conflicts = [...outside].map(([path, kind]) => ({ path, reason: reasons[kind] }));
    if (conflicts.length > 0) return { kind: 'conflict', conflicts, ...nothing };
    const applied = await held.apply();
    if (applied.kind !== 'conflict') return { kind: 'applied', ...appliedFiles(changes) };
    const late = applied.paths.map((path) => ({ path, reason: reasons.changed }));
    return { kind: 'conflict', conflicts: late, ...nothing };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return { kind: 'failed', path: pathIn(error), reason: describeError(error) };
  }
}

/** The paths of changes on disk. */
function appliedFiles(changes: readonly FileChange[]): AppliedFiles {
  return {
    written: changes.filter(({ kind }) => kind !== 'removed').map(({ path }) => path),
    removed: changes.filter(({ kind }) => kind === 'removed').map(({ path }) => path),
  };
}

/** Why not all changes are in the folder, one line each; empty when they are, or were not to be written. */
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

/** A description of the changes that a run has written to disk; undefined without any. */
export function describeApplied({ written, removed }: AppliedFiles): string | undefined {
  const parts = [
    ...(written.length === 0 ? [] : [counted(written.length, 'file')]),
    ...(removed.length === 0 ? [] : [`${counted(removed.length, 'file')} removed`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}
