import { FilesystemError } from '../../../core/error/index.ts';
import type { FileChange, Filesystem, FilesystemFork } from '../../../core/filesystem/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';

/** The maximum number of paths that a list of permissions names. */
const maxNamed = 1000;

/**
 * Applies the changes of a fork to its file system, all or none.
 * @param modes the paths whose permissions commands have set.
 * @throws {FilesystemError} `file-changed-on-disk` when what the commands have read was changed meanwhile, and the errors of the file system.
 */
export async function collectFork(
  filesystem: Filesystem,
  fork: FilesystemFork,
  modes: readonly string[],
): Promise<StagedFolderReport> {
  const changes = fork.changes();
  const before = directoriesOf(filesystem);
  const after = directoriesOf(fork.privileged);
  const created = new Set<string>();
  const removed = new Set<string>();
  const modified: string[] = [];
  for (const change of changes) {
    const { path, kind } = change;
    if (kind === 'modified') {
      if (isOtherContent(change)) modified.push(path);
      continue;
    }
    // A list of changes has no directories but empty ones.
    const [has, lacks, paths] = kind === 'created' ? [after, before, created] : [before, after, removed];
    paths.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (paths.has(parent)) break;
      if ((await has(parent)) && !(await lacks(parent))) paths.add(parent);
    }
  }
  const permissions: string[] = [];
  for (const path of modes) {
    if ((await fork.privileged.stat(path)) !== undefined) permissions.push(path);
  }
  // From here on nothing can come between.
  const [conflict] = fork.conflicts();
  if (conflict !== undefined && changes.length > 0) {
    throw new FilesystemError(
      'file-changed-on-disk',
      `What the commands have read was changed since: ${conflict}. Nothing was collected. Run them again.`,
    );
  }
  filesystem.apply(fork.patch());
  return Object.freeze({
    created: Object.freeze([...created].sort()),
    modified: Object.freeze(modified.sort()),
    removed: Object.freeze([...removed].sort()),
    permissions: Object.freeze(permissions.sort().slice(0, maxNamed)),
    skipped: Object.freeze([]),
    skippedCount: 0,
    complete: true,
  });
}

function isOtherContent({ before, after }: FileChange): boolean {
  if (before?.bytes !== after?.bytes || before === undefined || after === undefined) return true;
  return Buffer.compare(before.data(), after.data()) !== 0;
}

/** Looks up which paths are directories, each once. */
function directoriesOf(filesystem: Filesystem): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const look = async (path: string): Promise<boolean> => (await filesystem.stat(path))?.kind === 'directory';
  return (path) => {
    const found = known.get(path) ?? look(path);
    known.set(path, found);
    return found;
  };
}
