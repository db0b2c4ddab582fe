import type { HostDirectory } from '../disk/host-directory.ts';
import type { MountFilter } from './mount-filter.ts';
import type { MountTally } from './mount-report.ts';
import type { MountLimits } from './options.ts';

/** What one reading of a folder works with. */
export interface FolderReading {
  /** The folder itself, open. */
  readonly folder: HostDirectory;
  /** Where it stands in the workspace; `.` is the root. */
  readonly mountPath: string;
  readonly filter: MountFilter;
  readonly limits: MountLimits;
  readonly followSymlinks: boolean;
  readonly signal: AbortSignal | undefined;
  readonly tally: MountTally;
  /** Called once per file taken, with its path in the workspace. Must not throw. */
  readonly take: (path: string, content: Uint8Array) => void;
}

/** Path in the workspace of something below the mounted folder. */
export function workspacePath(reading: FolderReading, path: string): string {
  return reading.mountPath === '.' ? path : `${reading.mountPath}/${path}`;
}
