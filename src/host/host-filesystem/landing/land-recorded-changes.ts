import { FilesystemError } from '../../../core/error/index.ts';
import {
  type LandableChange,
  type LandingReport,
  normalizePath,
  segmentsOf,
} from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import { clearPending } from '../commit/pending-commits.ts';
import { diskError } from '../jail/disk-error.ts';
import { isInGitDirectory, isTemporaryName } from '../jail/jail.ts';
import type { DiskWorkspace } from '../workspace/disk-workspace.ts';
import { DeadFiles, type KnownContents } from './dead-files.ts';
import type { RecordedPath } from './found-state.ts';
import { type LandingChoice, planLanding } from './plan-landing.ts';

/** An open folder that is written at once. */
export interface LandingTarget {
  readonly workspace: DiskWorkspace;
  /** The folder with the journals of commits, outside of the folder. */
  readonly stateFolder: string;
}

/**
 * Does a recorded commit again in a folder, by content: it was decided, and its process may have ended before the disk had it.
 * What is as it was before is written, in one commit; files that only moved are renamed. What another process has changed since is left.
 * Before that, files are removed that a killed commit left beside these paths.
 *
 * @param runId the run whose pending commit it is, which has an end with this: its mark is cleared, and what killed commits left anywhere in the folder. Default: no
 * mark is, and what was left is cleared beside these paths only.
 * @throws {FilesystemError} as `Filesystem.apply`, and `filesystem-busy`; `path-invalid` for a path that no commit writes; `argument-invalid` for a content
 * that is not the recorded one. Then nothing was written.
 * @see docs/spec/filesystem.md §6
 */
export function landRecordedChanges(
  { workspace, stateFolder }: LandingTarget,
  changes: readonly LandableChange[],
  runId?: string,
): LandingReport {
  for (const { path, from, removedWith } of changes)
    for (const each of [path, from, removedWith]) if (each !== undefined) assertWritten(each);
  const mayWrite = ({ path, put, removedWith }: RecordedPath): boolean =>
    // A Git directory moves, and is copied and removed, with the directory that contains it.
    workspace.parts.allowsGitWrites ||
    !isInGitDirectory(path) ||
    put?.from !== undefined ||
    removedWith !== undefined;
  workspace.assertFree();
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const dead = new DeadFiles(workspace.parts.jail, stateFolder, runId === undefined ? paths : undefined);
  dead.clearCopies();
  const verdicts = workspace.change((cell) => {
    const plan = planLanding(cell.root, changes, mayWrite);
    cell.update('.', plan.operations);
    return plan.verdicts;
  });
  const left = dead.clearOld(knownContents(changes, verdicts));
  if (runId !== undefined) clearMark(stateFolder, runId);
  return reportOf(verdicts, left);
}

function clearMark(stateFolder: string, runId: string): void {
  try {
    clearPending(stateFolder, runId);
  } catch (error) {
    throw diskError('.', error);
  }
}

/** The contents and links that are on the disk or in a row. */
function knownContents(
  changes: readonly LandableChange[],
  verdicts: ReadonlyMap<string, LandingChoice>,
): KnownContents {
  const settled = changes.filter(({ path }) => verdicts.get(path) !== 'outside');
  return {
    hashes: new Set(settled.flatMap(({ before, after }) => [before?.hash ?? [], after?.hash ?? []].flat())),
    links: new Set(settled.flatMap(({ link, replacedLink }) => [link ?? [], replacedLink ?? []].flat())),
  };
}

/** @param left what a dead commit left beside the paths. */
function reportOf(verdicts: ReadonlyMap<string, LandingChoice>, left: readonly string[]): LandingReport {
  const of = (wanted: LandingChoice): readonly string[] =>
    [...verdicts].flatMap(([path, verdict]) => (verdict === wanted ? path : []));
  return {
    landed: [...of('land')].sort(),
    present: [...of('present')].sort(),
    outside: [...of('outside'), ...left].sort(),
  };
}

/** @throws {FilesystemError} `path-invalid`. */
export function assertWritten(path: string): void {
  if (normalizePath(path) === path && path !== '.' && !segmentsOf(path).some(isTemporaryName)) return;
  throw new FilesystemError(
    'path-invalid',
    `The recorded path ${quoteText(path)} is not one that a commit writes. Nothing was changed. Check the journal.`,
    { details: { path } },
  );
}
