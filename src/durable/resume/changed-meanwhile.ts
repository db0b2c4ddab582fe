import { FilesystemError } from '../../core/error/index.ts';
import type { Filesystem, OutsideChange } from '../../core/filesystem/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import { sha256 } from '../../record/index.ts';
import { readRunRows } from '../rows/run-rows.ts';

/** Contents of a file by their hashes; undefined: there is none. */
interface KnownContents {
  /** Before the run changed it. */
  readonly before: string | undefined;
  /** As the run left it. */
  after: string | undefined;
}

/**
 * The files that a run has changed in memory and another process has changed on disk since: a resumed run makes its changes on the folder of now,
 * where they would replace those of the other. A file that is as the run left it was written by the run. `settleFiles` of files-of-run.ts compares folders that have the changes
 * already, where only what the run left is right.
 */
export async function changedMeanwhile(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
): Promise<readonly OutsideChange[]> {
  const changes: OutsideChange[] = [];
  for (const [path, { before, after }] of await knownContents(journal, runId)) {
    const found = await contentAt(filesystem, path);
    if (found === before || found === after) continue;
    const kind = before === undefined ? 'created' : found === undefined ? 'removed' : 'changed';
    changes.push({ path, kind });
  }
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

async function knownContents(
  journal: RunJournal,
  runId: string,
): Promise<ReadonlyMap<string, KnownContents>> {
  const known = new Map<string, KnownContents>();
  const { commits } = readRunRows(runId, await journal.read(runId)).record();
  for (const { attempt } of commits) {
    for (const { path, entry, before, after, link, replacedLink } of attempt.files) {
      // What has no content of its own.
      if (entry === 'directory' || link !== undefined || replacedLink !== undefined) continue;
      const contents = known.get(path);
      if (contents === undefined) known.set(path, { before: before?.hash, after: after?.hash });
      else contents.after = after?.hash;
    }
  }
  return known;
}

/** The hash of a file; undefined where there is none, and what no hash is for an entry that cannot be read. */
async function contentAt(
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
  path: string,
): Promise<string | undefined> {
  try {
    const stat = await filesystem.stat(path);
    return stat === undefined ? undefined : sha256(await filesystem.readBytes(path));
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    return error.code;
  }
}
