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
 * where they would replace those of the other. A file that is as the run left it was written by the run.
 */
export async function changedMeanwhile(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
): Promise<readonly OutsideChange[]> {
  return differences(journal, runId, filesystem, (present, { before, after }) => {
    if (present === before || present === after) return undefined;
    return before === undefined ? 'created' : present === undefined ? 'removed' : 'changed';
  });
}

/** The files of a folder that are not as a run left them there. Links, permissions and empty directories are not compared. */
export async function changedSince(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
): Promise<readonly OutsideChange[]> {
  return differences(journal, runId, filesystem, (present, { after }) => {
    if (present === after) return undefined;
    return after === undefined ? 'created' : present === undefined ? 'removed' : 'changed';
  });
}

/** @param kindOf what happened to a file, by the hash of its present content; undefined: nothing. */
async function differences(
  journal: RunJournal,
  runId: string,
  filesystem: Pick<Filesystem, 'stat' | 'readBytes'>,
  kindOf: (present: string | undefined, known: KnownContents) => OutsideChange['kind'] | undefined,
): Promise<readonly OutsideChange[]> {
  const changes: OutsideChange[] = [];
  for (const [path, known] of await knownContents(journal, runId)) {
    const kind = kindOf(await contentAt(filesystem, path), known);
    if (kind !== undefined) changes.push({ path, kind });
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
