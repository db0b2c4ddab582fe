import { chmod, mkdir, symlink } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type HostDirectory, openDirectory } from '../../disk/host-directory.ts';
import type { Baseline } from './baseline.ts';
import type { DiskPlan, PlannedFolder } from './plan-disk.ts';
import { fileOnDisk, type OpenSource, stageFile } from './stage-file.ts';
import { writingError } from './staging-error.ts';

/** The context of executing a plan. */
export interface PlanStaging {
  readonly openSource: OpenSource;
  readonly signal: AbortSignal | undefined;
  /** Receives every entry of the folder. */
  readonly baseline: Baseline;
  /** True when files on the disk are visible through an overlay. */
  readonly isOverlay: boolean;
}

/** The number of files that are staged before yielding to the event loop. */
const filesAtOnce = 32;

/**
 * Fills a folder as planned.
 * @throws {FilesystemError} when the disk refuses, `file-changed-on-disk`; the signal's reason.
 */
export async function stagePlan(staging: PlanStaging, plan: DiskPlan, folder: HostDirectory): Promise<void> {
  for (const path of plan.leftOut) staging.baseline.set(path, { kind: 'left-out' });
  await stageEntries(staging, plan.root, folder);
}

async function stageEntries(
  staging: PlanStaging,
  planned: PlannedFolder,
  folder: HostDirectory,
): Promise<void> {
  const { openSource, signal, baseline, isOverlay } = staging;
  signal?.throwIfAborted();
  let written = 0;
  for (const file of planned.files) {
    if (isOverlay && file.isOnDisk) {
      baseline.set(file.path, fileOnDisk(openSource, file));
      continue;
    }
    if (written > 0 && written % filesAtOnce === 0) await setImmediate(undefined, { signal });
    written += 1;
    baseline.set(
      file.path,
      await naming(file.path, () => stageFile(openSource, file, folder.pathOf(file.name))),
    );
  }
  for (const { name, path, target, isOnDisk } of planned.links) {
    if (!isOverlay || !isOnDisk) await naming(path, () => symlink(target, folder.pathOf(name)));
    baseline.set(path, { kind: 'link', target });
  }
  if (written > 0) await setImmediate(undefined, { signal });
  for (const inner of planned.folders) {
    baseline.set(inner.path, { kind: 'directory' });
    if (isOverlay && inner.isWhole) rememberWhole(staging, inner);
    else await stageFolder(staging, inner, folder);
  }
}

async function stageFolder(
  staging: PlanStaging,
  planned: PlannedFolder,
  parent: HostDirectory,
): Promise<void> {
  const { name, path, mode, isOnDisk } = planned;
  const isMade = !staging.isOverlay || !isOnDisk;
  const inner = await naming(path, async () => {
    if (isMade) await mkdir(parent.pathOf(name));
    return openDirectory(parent.pathOf(name), false);
  });
  try {
    await stageEntries(staging, planned, inner);
    // The owner needs full access to it, whatever the permissions on the disk.
    if (isMade && mode !== undefined) await chmod(inner.path, mode | 0o700);
  } finally {
    await inner.close();
  }
}

function rememberWhole(staging: PlanStaging, planned: PlannedFolder): void {
  const { openSource, baseline } = staging;
  for (const file of planned.files) baseline.set(file.path, fileOnDisk(openSource, file));
  for (const { path, target } of planned.links) baseline.set(path, { kind: 'link', target });
  for (const inner of planned.folders) {
    baseline.set(inner.path, { kind: 'directory' });
    rememberWhole(staging, inner);
  }
}

/** Runs an action for a path; errors of the operating system then name the path. */
async function naming<Value>(path: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    throw writingError(path, error);
  }
}
