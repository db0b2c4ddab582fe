import type { HostDirectory } from '../disk/host-directory.ts';
import type { CopyTally } from './copy-report.ts';
import type { FolderFilter } from './folder-filter.ts';
import type { FolderLimits } from './options.ts';

/** The context of reading one folder. */
export interface FolderReading {
  /** The folder itself, open. */
  readonly folder: HostDirectory;
  /** Its path in the workspace; `.` is the root. */
  readonly mountPath: string;
  readonly filter: FolderFilter;
  readonly limits: FolderLimits;
  readonly followSymlinks: boolean;
  readonly signal: AbortSignal | undefined;
  readonly tally: CopyTally;
  /** Called once for each file taken, with its path in the workspace. Must not throw. */
  readonly take: (path: string, content: Uint8Array) => void;
}

/** The workspace path of a path below the mounted folder. */
export function workspacePath(reading: FolderReading, path: string): string {
  return reading.mountPath === '.' ? path : `${reading.mountPath}/${path}`;
}
