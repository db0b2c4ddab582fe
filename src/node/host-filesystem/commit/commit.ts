import { accessSync, constants } from 'node:fs';
import { posix } from 'node:path';
import { FilesystemError } from '../../../error/index.ts';
import { segmentsOf } from '../../../filesystem/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { identityOf, rootMarkOf, stampOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import { changedOnDiskError, diskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import type { CommitPlan, CommitStep } from './commit-step.ts';
import { CommitJournal, forceDirectory } from './journal.ts';
import { assertUnchanged } from './restorable.ts';
import { atPath, removeLeftovers, rollbackSteps, runStep } from './run-step.ts';
import { stageContent } from './stage-content.ts';

/** What a commit works with. */
export interface CommitTarget {
  readonly jail: HostJail;
  /** Where journals are kept: outside the folder. */
  readonly journalDirectory: string;
  /** Told before each thing that a commit does to the disk; for tests, which stop the process there. */
  readonly onFailpoint: (failpoint: string) => void;
}

/**
 * Carries out a plan: all of it, or nothing.
 *
 * 1. The journal tells what is going to happen. 2. New contents are written beside their places. 3. What is to be replaced
 * or removed is compared with what was seen of it. 4. The steps, each told by the journal before it begins. 5. The journal
 * says that the commit stands. 6. What is left of the old content is removed, then the journal.
 *
 * A process that ends before 5 leaves a journal from which the old tree is restored, one that ends later leaves the new.
 * @throws {FilesystemError} `file-changed-on-disk`, `path-forbidden`, `root-replaced`, `filesystem-storage-failed`; then the old tree is there.
 */
export function commit(
  { jail, journalDirectory, onFailpoint: onFailpoint }: CommitTarget,
  plan: CommitPlan,
): void {
  const { steps, staged } = plan;
  if (steps.length === 0) return;
  let at = steps[0]?.path ?? '.';
  let begun = 0;
  const identities: (string | undefined)[] = steps.map(() => undefined);
  const stagedPaths = staged.map((file) => file.staged);
  let journal: CommitJournal | undefined;
  try {
    jail.assertInPlace();
    for (const path of plan.replaced) {
      at = path;
      assertReplaceable(jail, path);
    }
    onFailpoint('begin');
    journal = CommitJournal.begin(journalDirectory, plan, rootMarkOf(jail.rootStats()));
    const written = new Map<string, string>();
    for (const file of staged) {
      at = file.path;
      onFailpoint('stage');
      written.set(file.staged, stageContent(jail, file));
    }
    jail.assertInPlace();
    assertUntouched(jail, plan);
    for (const [index, step] of steps.entries())
      identities[index] = identityOfStep(jail, step, steps, written);
    onFailpoint('ready');
    journal.ready(identities);
    for (const [index, step] of steps.entries()) {
      at = step.path;
      onFailpoint('step');
      journal.step(index);
      begun = index + 1;
      onFailpoint('do');
      runStep(jail, step, onFailpoint);
    }
    forceParents(jail, steps);
    onFailpoint('done');
    // Where the folder went while it was written, the caller would not find what it is told of.
    jail.assertInPlace();
    for (const removed of plan.removed) assertUnchanged(jail, removed);
    journal.done();
  } catch (error) {
    if (!rollback(jail, journal, { steps, stagedPaths, identities, begun }))
      throw halfWrittenError(at, error);
    throw diskError(at, error);
  }
  cleanUp(jail, journal, { steps, stagedPaths }, onFailpoint);
}

/** Takes back what was done. @returns false when that fails too; then the journal stays for the next opening. */
function rollback(
  jail: HostJail,
  journal: CommitJournal | undefined,
  record: Parameters<typeof rollbackSteps>[1],
): boolean {
  if (journal === undefined) return true;
  journal.close();
  try {
    rollbackSteps(jail, record, () => undefined);
    journal.remove();
    return true;
  } catch {
    // What failed first is what the caller hears about.
    return false;
  }
}

function halfWrittenError(path: string, error: unknown): FilesystemError {
  return new FilesystemError(
    'filesystem-storage-failed',
    `${quoteText(path)} could not be written, and what was written before it could not be taken back ` +
      `(${errorCode(error) ?? 'unknown error'}). Open the folder again: that restores the state before.`,
    { details: { path } },
  );
}

/** The commit stands already. What cannot be cleared away now is cleared away by the next opening. */
function cleanUp(
  jail: HostJail,
  journal: CommitJournal,
  record: Parameters<typeof removeLeftovers>[1],
  onFailpoint: (failpoint: string) => void,
): void {
  onFailpoint('clear');
  journal.close();
  try {
    removeLeftovers(jail, record);
    onFailpoint('remove-journal');
    journal.remove();
  } catch {
    // The journal is still there.
  }
}

/** A file that is write-protected stays what it is, although a rename could replace it. */
function assertReplaceable(jail: HostJail, replaced: string): void {
  atPath(jail, replaced, (path) => accessSync(path, constants.W_OK));
}

function assertUntouched(jail: HostJail, { expected }: CommitPlan): void {
  for (const { path, stamp } of expected) {
    const stats = jail.statOf(segmentsOf(path));
    if (stats === undefined || stampOf(stats) !== stamp) throw changedOnDiskError(path);
  }
}

/** What a step puts at its path, so that later it can be told from what somebody else puts there. */
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

function forceParents(jail: HostJail, steps: readonly CommitStep[]): void {
  const pathsOf = (step: CommitStep): readonly string[] => {
    // What is taken out of a directory that is taken too has no place of its own any more.
    if (step.op === 'take') return [step.trash];
    return step.op === 'give' ? [step.path, step.from] : [step.path];
  };
  const parents = new Set(steps.flatMap((step) => pathsOf(step).map((path) => posix.dirname(path))));
  for (const parent of parents) jail.within(segmentsOf(parent), (pathOf) => forceDirectory(pathOf()));
}
