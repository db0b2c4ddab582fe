import { hostOperations } from '../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../src/host/host-filesystem/open-workspace.ts';
import type { DiskWorkspace } from '../../src/host/host-filesystem/workspace/disk-workspace.ts';

/** So many that threads help to force them to the disk. */
export const manyFiles = 520;

/** Twenty files in each directory. */
export const manyPaths: readonly string[] = Array.from(
  { length: manyFiles },
  (_, index) => `folder-${Math.floor(index / 20)}/file-${index}.txt`,
);

export const manyBefore: Readonly<Record<string, string>> = Object.fromEntries(
  manyPaths.map((path) => [path, `before ${path}`]),
);

/** Opens a folder that has {@link manyBefore}. @returns the workspace, what changes all files in one commit, and what closes it. */
export function openManyFiles(
  folders: { readonly root: string; readonly stateDirectory: string },
  onFailpoint: (failpoint: string) => void,
): { readonly workspace: DiskWorkspace; readonly changeAll: () => void; readonly close: () => void } {
  const { workspace, lock } = openWorkspace(folders, onFailpoint);
  return {
    workspace,
    changeAll: () => {
      const { cell, dispose } = workspace.fork(workspace.takeSnapshot(), false);
      const operations = hostOperations(cell);
      for (const path of manyPaths) operations.write(path, `after ${path}`, undefined);
      workspace.apply(cell.patch(), cell);
      dispose();
    },
    close: () => {
      workspace.dispose();
      lock.dispose();
    },
  };
}

/** Calls `act` when a failpoint is reached for the time with this number, the first one being 1. */
export function atTime(name: string, time: number, act: () => void): (failpoint: string) => void {
  let times = 0;
  return (failpoint) => {
    if (failpoint !== name) return;
    times += 1;
    if (times === time) act();
  };
}
