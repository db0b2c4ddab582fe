import { assertOptions, FilesystemError } from '../../error/index.ts';
import { MemoryFilesystem } from '../../filesystem/index.ts';
import { hostMount } from './host-mount.ts';
import { type MountOptions, resolveLimits } from './options.ts';
import type { MountReport } from './report.ts';

/** Bytes that one file of the workspace may hold, at least: 32 MiB. */
const DEFAULT_MAX_FILE_BYTES = 33_554_432;

/** A folder of the host as a workspace in memory. */
export interface MountedFolder {
  /** The content; changes stay in memory, the disk is never written. */
  readonly filesystem: MemoryFilesystem;
  /** What was taken and what was left out, by name and reason. */
  readonly report: MountReport;
}

/**
 * Reads a folder that the caller trusts, such as one named on a command line, into a `MemoryFilesystem`. For a path that
 * comes from anyone else use `hostMount`, which checks it against allowed roots.
 *
 * @throws {FilesystemError} like `hostMount`; the signal's reason when it is aborted.
 */
export async function mountFolder(options: MountOptions): Promise<MountedFolder> {
  assertOptions(
    'mountFolder()',
    options,
    { hostPath: 'string!' },
    (message, details) => new FilesystemError('invalid-argument', message, details),
  );
  const { files, report } = await hostMount({ ...options, allowedRoots: [options.hostPath] });
  // A file that the caller let in fits, whatever a workspace takes by default.
  const maxFileBytes = Math.max(DEFAULT_MAX_FILE_BYTES, resolveLimits(options).maxFileBytes);
  return Object.freeze({ filesystem: new MemoryFilesystem({ files, maxFileBytes }), report });
}
