import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { posix } from 'node:path';
import { isWriteProtected, segmentsOf } from '../../../core/filesystem/index.ts';
import { identityOf, modeOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { writeProtectedError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { CommitStep, OnFailpoint } from './commit-step.ts';
import type { JournalRecord } from './journal.ts';

/** The error codes of file systems without hard links. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES']);

/** Calls `use` with the host path of a path in the jail. */
export function atPath<Result>(jail: HostJail, path: string, use: (hostPath: string) => Result): Result {
  const segments = segmentsOf(path);
  return jail.within(segments.slice(0, -1), (pathOf) => use(pathOf(segments.at(-1))));
}

/** Refuses to replace a regular file that is write-protected. @throws {FilesystemError} `path-forbidden`. */
export function assertNotProtected(jail: HostJail, path: string): void {
  const stats = jail.statOf(segmentsOf(path));
  if (stats?.isFile() === true && isWriteProtected(modeOf(stats)))
    throw writeProtectedError(path, modeOf(stats));
}

/** Calls `use` with two host paths. A common parent is opened once. */
function atPaths(
  jail: HostJail,
  left: string,
  right: string,
  use: (left: string, right: string) => void,
): void {
  const [leftParent, rightParent] = [posix.dirname(left), posix.dirname(right)];
  const [leftName, rightName] = [posix.basename(left), posix.basename(right)];
  jail.within(segmentsOf(leftParent), (inLeft) => {
    if (leftParent === rightParent) use(inLeft(leftName), inLeft(rightName));
    else jail.within(segmentsOf(rightParent), (inRight) => use(inLeft(leftName), inRight(rightName)));
  });
}

/** Renames, unless the target exists. */
function renameToFree(jail: HostJail, from: string, to: string): void {
  atPaths(jail, from, to, (hostFrom, hostTo) => {
    if (lstatSync(hostTo, { throwIfNoEntry: false }) !== undefined) {
      throw Object.assign(new Error('the target exists'), { code: 'EEXIST' });
    }
    renameSync(hostFrom, hostTo);
  });
}

/** Runs one step. @throws the error of the operating system; then the step may have been done in part. */
export function runStep(jail: HostJail, step: CommitStep, onFailpoint: OnFailpoint): void {
  switch (step.op) {
    case 'take':
      return renameToFree(jail, step.path, step.trash);
    case 'give':
      return renameToFree(jail, step.from, step.path);
    case 'mkdir':
      return atPath(jail, step.path, (path) => {
        mkdirSync(path);
        if (step.mode !== undefined) chmodSync(path, step.mode);
      });
    case 'link':
      return atPath(jail, step.path, (path) => symlinkSync(linkText(step), path));
    case 'place':
      return step.backup === undefined
        ? placeNew(jail, step.staged, step.path)
        : replace(jail, step.staged, step.path, step.backup, onFailpoint);
  }
}

function linkText({ target, encoding }: Extract<CommitStep, { readonly op: 'link' }>): Buffer {
  return Buffer.from(target, encoding ?? 'utf8');
}

/** Uses a hard link, which cannot overwrite what another process has put there in the meantime; a rename could. */
function placeNew(jail: HostJail, staged: string, path: string): void {
  try {
    atPaths(jail, staged, path, linkSync);
  } catch (error) {
    if (!withoutLinks.has(errorCode(error) ?? '')) throw error;
    renameToFree(jail, staged, path);
  }
}

/** At every moment the old file exists, under its name or as the backup. */
function replace(
  jail: HostJail,
  staged: string,
  path: string,
  backup: string,
  onFailpoint: OnFailpoint,
): void {
  try {
    atPaths(jail, path, backup, linkSync);
  } catch (error) {
    if (!withoutLinks.has(errorCode(error) ?? '')) throw error;
    renameToFree(jail, path, backup);
  }
  onFailpoint?.('swap');
  atPaths(jail, staged, path, renameSync);
}

/** Device and inode of the entry at a path. */
function identityAt(jail: HostJail, path: string): string | undefined {
  const stats = jail.statOf(segmentsOf(path));
  return stats === undefined ? undefined : identityOf(stats);
}

/**
 * Rolls back a step as far as it was done, judged by what is on the disk: idempotent. What another process
 * has put at a path in the meantime stays.
 * @throws the error of the operating system.
 */
function rollbackStep(jail: HostJail, step: CommitStep, identity: string | undefined): void {
  switch (step.op) {
    case 'take':
      return restoreTaken(jail, step.trash, step.path);
    case 'give':
      if (identityAt(jail, step.from) !== undefined || identityAt(jail, step.path) !== identity)
        return undefined;
      return renameToFree(jail, step.path, step.from);
    case 'mkdir':
      return ignoring(['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'], () =>
        atPath(jail, step.path, (path) => rmdirSync(path)),
      );
    case 'link':
      return ignoring(['EINVAL', 'ENOENT'], () =>
        atPath(jail, step.path, (path) => {
          if (readlinkSync(path, { encoding: 'buffer' }).equals(linkText(step))) unlinkSync(path);
        }),
      );
    case 'place':
      return step.backup === undefined
        ? removeOwn(jail, step.path, identity)
        : restoreBackup(jail, step.path, step.backup, identity);
  }
}

function restoreTaken(jail: HostJail, trash: string, path: string): void {
  if (identityAt(jail, trash) === undefined) return;
  // Another process has created the path: both are kept.
  const isFree = identityAt(jail, path) === undefined;
  renameToFree(jail, trash, isFree ? path : `${path}${posix.basename(trash, '.tmp')}`);
}

function removeOwn(jail: HostJail, path: string, identity: string | undefined): void {
  if (identity === undefined || identityAt(jail, path) !== identity) return;
  atPath(jail, path, unlinkSync);
}

function restoreBackup(jail: HostJail, path: string, backup: string, identity: string | undefined): void {
  const kept = identityAt(jail, backup);
  if (kept === undefined) return;
  const present = identityAt(jail, path);
  if (present === undefined || present === identity) atPaths(jail, backup, path, renameSync);
  // Renaming one of two hard links of a file to the other does nothing, so the backup may still exist.
  ignoring(['ENOENT'], () => atPath(jail, backup, unlinkSync));
}

function ignoring(codes: readonly string[], action: () => void): void {
  try {
    action();
  } catch (error) {
    const isGone = error instanceof Error && error.name === 'NoDirectoryError';
    if (!isGone && !codes.includes(errorCode(error) ?? '')) throw error;
  }
}

/** Restores the tree to its state before the commit. @throws the error of the operating system. */
export function rollbackSteps(
  jail: HostJail,
  {
    steps,
    begun,
    identities,
    stagedPaths,
  }: Pick<JournalRecord, 'steps' | 'begun' | 'identities' | 'stagedPaths'>,
  onFailpoint: OnFailpoint,
): void {
  for (let index = Math.min(begun, steps.length) - 1; index >= 0; index -= 1) {
    const step = steps[index];
    onFailpoint?.('undo');
    if (step !== undefined) rollbackStep(jail, step, identities[index]);
  }
  removeStaged(jail, { stagedPaths });
}

/** Removes new contents that are not at their places. @throws the error of the operating system. */
export function removeStaged(jail: HostJail, { stagedPaths }: Pick<JournalRecord, 'stagedPaths'>): void {
  for (const staged of stagedPaths) ignoring(['ENOENT'], () => atPath(jail, staged, unlinkSync));
}

/** Removes the leftovers of a completed commit. @throws the error of the operating system. */
export function removeLeftovers(jail: HostJail, steps: readonly CommitStep[]): void {
  for (const step of steps) {
    if (step.op === 'place') {
      // What replaces a file was renamed; what is new is still there under its first name too.
      const left = step.backup ?? step.staged;
      ignoring(['ENOENT'], () => atPath(jail, left, unlinkSync));
    }
    if (step.op === 'take') {
      ignoring(['ENOENT'], () =>
        atPath(jail, step.trash, (path) => rmSync(path, { recursive: true, force: true })),
      );
    }
  }
}
