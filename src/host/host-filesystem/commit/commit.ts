import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  openSync,
} from 'node:fs';
import { posix } from 'node:path';
import type { FilesystemError } from '../../../core/error/index.ts';
import {
  type FileContent,
  type PendingMark,
  pathError,
  type StagedChanges,
  segmentsOf,
} from '../../../core/filesystem/index.ts';
import { attempt } from '../../../core/internal/index.ts';
import { copyOpenFile, writeWhole } from '../../disk/copy-open-file.ts';
import { accessOf, identityOf, rootMarkOf, stampOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { FolderLease } from '../../lock/index.ts';
import { changedOnDiskError, diskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { DiskContent } from '../tree/disk-content.ts';
import {
  type CommitPlan,
  type CommitStep,
  changedPaths,
  type OnFailpoint,
  type StagedContent,
} from './commit-step.ts';
import { ForcedFiles } from './forced-files.ts';
import { CommitJournal, forceDirectory } from './journal.ts';
import { keepPending } from './pending-commits.ts';
import { assertUnchanged } from './restorable.ts';
import {
  assertNotProtected,
  atPath,
  removeLeftovers,
  removeStaged,
  rollbackSteps,
  runStep,
} from './run-step.ts';

/** The folder and journal of a commit. */
export interface CommitTarget {
  readonly jail: HostJail;
  /** The directory of the journals, outside the folder. */
  readonly journalDirectory: string;
  readonly onFailpoint?: OnFailpoint;
  /** What the folder is written under. Default: its lock alone. */
  readonly lease?: FolderLease | undefined;
}

/** The commit without changes. */
export const nothingStaged: StagedChanges = { land: () => undefined, discard: () => undefined };

/** What a commit knows of itself, for its end or its rollback. */
interface CommitState {
  readonly steps: readonly CommitStep[];
  readonly stagedPaths: readonly string[];
  readonly identities: (string | undefined)[];
  /** The number of steps that were begun. */
  begun: number;
  /** The path that errors name. */
  at: string;
  /** Keeps the mark of a commit that is undone although it may be decided. */
  readonly keepMark?: () => void;
}

/**
 * Executes the first half of a plan, which changes nothing at its paths; `land` executes the second half: all of it, or nothing.
 *
 * 1. The plan is written to the journal. 2. New contents are written next to their targets. 3. What is to be replaced
 * or removed is compared with what the view saw. Here the caller decides. 4. It is compared once more. 5. The steps run, each recorded in
 * the journal before it begins. 6. The commit is recorded as done in the journal. 7. The remaining old content is removed, then the journal.
 *
 * If the process ends before 6, the old tree is restored from the journal; if it ends later, the new tree is completed.
 * @throws {FilesystemError} `file-changed-on-disk`, `path-forbidden`, `root-replaced`, `filesystem-storage-failed`; the old tree is then in place.
 */
export function stageCommit(
  target: CommitTarget,
  plan: CommitPlan,
  pending: PendingMark | undefined,
): StagedChanges {
  const { jail, journalDirectory, onFailpoint } = target;
  const { steps, staged } = plan;
  if (steps.length === 0) return nothingStaged;
  const state: CommitState = {
    steps,
    stagedPaths: staged.map((file) => file.staged),
    identities: steps.map(() => undefined),
    begun: 0,
    at: steps[0]?.path ?? '.',
  };
  let journal: CommitJournal | undefined;
  let rootMark: string | undefined;
  try {
    jail.assertInPlace();
    jail.keepingOpen(() => {
      for (const path of plan.replaced) {
        state.at = path;
        assertNotProtected(jail, path);
        // A file that may not be written is not replaced, although a rename could do it.
        atPath(jail, path, (hostPath) => accessSync(hostPath, constants.W_OK));
      }
    });
    onFailpoint?.('begin');
    rootMark = rootMarkOf(jail.rootStats());
    journal = CommitJournal.begin(journalDirectory, plan, rootMark, pending);
    const written = stageContents(target, staged, state);
    assertReady(jail, plan);
    for (const [index, step] of steps.entries())
      state.identities[index] = identityOfStep(jail, step, steps, written);
    onFailpoint?.('ready');
    journal.ready(state.identities);
  } catch (error) {
    throw rolledBack(target, journal, state, error);
  }
  const ready = journal;
  const keepMark = (): void => {
    if (pending !== undefined)
      keepPending(journalDirectory, { ...pending, paths: changedPaths(steps) }, rootMark);
  };
  return {
    land: () => landCommit(target, plan, ready, { ...state, keepMark }),
    discard: (options) =>
      void rollback(target, ready, options?.isUndecided === true ? { ...state, keepMark } : state),
  };
}

/** @throws {FilesystemError} as {@link stageCommit}. */
function landCommit(
  target: CommitTarget,
  plan: CommitPlan,
  journal: CommitJournal,
  state: CommitState,
): void {
  const { steps } = plan;
  const { jail, lease } = target;
  const onFailpoint = (failpoint: string): void => {
    target.onFailpoint?.(failpoint);
    // The process may have been stopped here for longer than the lease.
    lease?.assertHeld();
  };
  try {
    lease?.assertHeld();
    assertReady(jail, plan);
    assertSameTaken(jail, state);
    jail.keepingOpen(() => {
      for (const [index, step] of steps.entries()) {
        state.at = step.path;
        onFailpoint('step');
        journal.step(index);
        state.begun = index + 1;
        onFailpoint('do');
        runStep(jail, step, onFailpoint);
      }
    });
    forceParents(jail, steps);
    onFailpoint('done');
    // If the folder was moved while it was written, the caller would not find the changes at its path.
    jail.assertInPlace();
    for (const removed of plan.removed) assertUnchanged(jail, removed);
    journal.done();
  } catch (error) {
    throw rolledBack(target, journal, state, error);
  }
  cleanUp(jail, journal, steps, onFailpoint);
}

/** Restores the old tree. @returns the error for the caller. */
function rolledBack(
  target: CommitTarget,
  journal: CommitJournal | undefined,
  state: CommitState,
  error: unknown,
): FilesystemError {
  if (!rollback(target, journal, state) && target.lease?.isHeld !== false)
    return halfWrittenError(state.at, error);
  return diskError(state.at, error);
}

/**
 * Undoes the steps that have run. @returns false when that fails too; the journal then stays for the next opening. So it does when the folder may belong
 * to another process by now: then only what has names of this commit is removed.
 */
function rollback(
  { jail, lease }: CommitTarget,
  journal: CommitJournal | undefined,
  record: CommitState,
): boolean {
  if (journal === undefined) return true;
  journal.close();
  try {
    if (lease?.isHeld === false) {
      removeStaged(jail, record);
      return false;
    }
    rollbackSteps(jail, record, () => undefined);
    record.keepMark?.();
    journal.remove();
    return true;
  } catch {
    // The caller gets the first error.
    return false;
  }
}

function halfWrittenError(path: string, error: unknown): FilesystemError {
  return pathError(
    'filesystem-storage-failed',
    path,
    'could not be written, and the changes before it could not be rolled back ' +
      `(${errorCode(error) ?? 'unknown error'}). Open the folder again: that restores the previous state.`,
  );
}

/** Removes what the commit left over. The commit is already done; what cannot be removed now is removed by the next opening. */
function cleanUp(
  jail: HostJail,
  journal: CommitJournal,
  steps: readonly CommitStep[],
  onFailpoint: OnFailpoint,
): void {
  journal.close();
  try {
    onFailpoint?.('clear');
    jail.keepingOpen(() => removeLeftovers(jail, steps));
    onFailpoint?.('remove-journal');
    journal.remove();
  } catch {
    // The journal is still there.
  }
}

/** The folder is at its path, and what the plan replaces or removes is what the view saw. */
function assertReady(jail: HostJail, { expected }: CommitPlan): void {
  jail.assertInPlace();
  jail.keepingOpen(() => {
    for (const { path, stamp } of expected) {
      const stats = jail.statOf(segmentsOf(path));
      if (stats === undefined || stampOf(stats) !== stamp) throw changedOnDiskError(path);
    }
  });
}

/** The identity of what a step puts at its path, to distinguish it later from what another process puts there. */
function identityOfStep(
  jail: HostJail,
  step: CommitStep,
  steps: readonly CommitStep[],
  written: ReadonlyMap<string, string>,
): string | undefined {
  if (step.op === 'place') return written.get(step.staged);
  if (step.op !== 'give') return undefined;
  const taken = steps.find((other) => other.op === 'take' && other.trash === step.from);
  const stats = taken === undefined ? undefined : jail.statOf(segmentsOf(taken.path));
  return stats === undefined ? undefined : identityOf(stats);
}

/** What is moved has no stamp if it is a directory: it is compared by its identity. */
function assertSameTaken(jail: HostJail, { steps, identities }: CommitState): void {
  for (const [index, step] of steps.entries()) {
    if (step.op === 'give' && identityOfStep(jail, step, steps, new Map()) !== identities[index])
      throw changedOnDiskError(step.path);
  }
}

function forceParents(jail: HostJail, steps: readonly CommitStep[]): void {
  const pathsOf = (step: CommitStep): readonly string[] => {
    // The former parent may have been taken too, so only the trash has a parent to sync.
    if (step.op === 'take') return [step.trash];
    return step.op === 'give' ? [step.path, step.from] : [step.path];
  };
  const parents = new Set(steps.flatMap((step) => pathsOf(step).map((path) => posix.dirname(path))));
  for (const parent of parents) jail.within(segmentsOf(parent), (pathOf) => forceDirectory(pathOf()));
}

/**
 * Writes new contents next to their targets, and returns when all of them are on the disk.
 * @returns device and inode of each new file, by its path.
 * @throws as {@link stageContent}.
 */
function stageContents(
  { jail, onFailpoint }: CommitTarget,
  staged: readonly StagedContent[],
  state: CommitState,
): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  using forced = new ForcedFiles(staged.length, onFailpoint);
  jail.keepingOpen(() => {
    for (const file of staged) {
      state.at = file.path;
      onFailpoint?.('stage');
      written.set(file.staged, stageContent(jail, file, forced));
    }
  });
  forced.finish();
  return written;
}

/**
 * Writes new content next to its target, to be forced to the disk.
 * @returns device and inode of the new file.
 * @throws {FilesystemError} `file-changed-on-disk` when the content to copy has changed; what {@link ForcedFiles.add} throws.
 * @throws the error of the operating system.
 */
function stageContent(jail: HostJail, staged: StagedContent, forced: ForcedFiles): string {
  const mode = staged.mode ?? staged.access?.mode;
  const file = atPath(jail, staged.staged, (path) =>
    openSync(path, 'wx', mode === undefined ? 0o666 : 0o600),
  );
  let identity: string;
  try {
    identity = writeStaged(jail, staged, file, mode);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  forced.add(file, staged.path);
  return identity;
}

function writeStaged(
  jail: HostJail,
  { access, content, modifiedAtMs }: StagedContent,
  file: number,
  mode: number | undefined,
): string {
  writeContent(jail, content, file);
  const stats = fstatSync(file, { bigint: true });
  if (access !== undefined) {
    const { uid, gid } = accessOf(stats);
    const isOwn = uid === access.uid && gid === access.gid;
    // Only a privileged process may change the owner; otherwise the writer stays it, as with any editor that replaces files.
    if (!isOwn) attempt(() => fchownSync(file, access.uid, access.gid));
  }
  if (mode !== undefined) fchmodSync(file, mode);
  if (modifiedAtMs !== undefined) futimesSync(file, modifiedAtMs / 1000, modifiedAtMs / 1000);
  return identityOf(stats);
}

/** Content on the disk is copied from there in chunks, not loaded into memory. */
function writeContent(jail: HostJail, content: FileContent, target: number): void {
  if (!(content instanceof DiskContent)) return writeWhole(target, content.data());
  const { kept } = content;
  if (kept === undefined) return copyFromPlace(jail, content, target);
  if (kept instanceof Uint8Array) return writeWhole(target, kept);
  const source = openSync(kept.hostPath, 'r');
  try {
    copyOpenFile(source, target);
  } finally {
    closeSync(source);
  }
}

function copyFromPlace(jail: HostJail, content: DiskContent, target: number): void {
  const isCopied = jail.readFile(content.segments, (source, stats) => {
    if (stampOf(stats) !== content.stamp) return false;
    copyOpenFile(source, target);
    return stampOf(fstatSync(source, { bigint: true })) === content.stamp;
  });
  if (isCopied !== true) throw changedOnDiskError(content.path);
}
