import type { FileChange, FileContent, Filesystem, LandableChange } from '../../filesystem/index.ts';
import { sha256 } from '../../record/internal.ts';

/** What became of the paths of a rewind, each list sorted. */
export interface RewindReport {
  /** Are as the run left them: they are written, or would be. */
  readonly fitting: readonly string[];
  /** Are as they were already. */
  readonly present: readonly string[];
  /** Are neither: another process has changed them. As long as there are some, nothing is written. */
  readonly outside: readonly string[];
}

/**
 * Makes changes to a folder by content: each path is as the run left it, as it is to be, or was changed by another process.
 *
 * @param apply whether they are written, all or none. Default: they are only compared.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export async function rewindFolder(
  filesystem: Filesystem,
  changes: readonly FileChange[],
  apply = false,
): Promise<RewindReport> {
  const fitting: string[] = [];
  const present: string[] = [];
  const outside: string[] = [];
  for (const change of changes) {
    const now = await contentAt(filesystem, change.path);
    if (now === hashOf(change, change.after)) present.push(change.path);
    else if (now === hashOf(change, change.before)) fitting.push(change.path);
    else outside.push(change.path);
  }
  if (!apply || outside.length > 0) return { fitting, present, outside };
  const report = filesystem['~land']?.(changes.map(toLandable));
  if (report === undefined)
    throw new TypeError('Only files on a disk that are written at once can be taken back.');
  return { fitting: report.landed, present: report.present, outside: report.outside };
}

/** The hash of a file, `directory` for a directory, `absent` for nothing. */
async function contentAt(filesystem: Filesystem, path: string): Promise<string> {
  const stat = await filesystem.stat(path);
  if (stat?.kind !== 'file') return stat?.kind ?? 'absent';
  return sha256(await filesystem.readBytes(path));
}

function hashOf({ entry, kind }: FileChange, content: FileContent | undefined): string {
  if (content !== undefined) return sha256(content.data());
  // Directories have no content.
  if (entry === 'directory') return kind === 'created' ? 'directory' : 'absent';
  return 'absent';
}

function toLandable({ before, after, ...change }: FileChange): LandableChange {
  const markOf = (content: FileContent): { readonly hash: string; readonly bytes: number } => ({
    hash: sha256(content.data()),
    bytes: content.bytes,
  });
  return {
    ...change,
    ...(before === undefined ? {} : { before: markOf(before) }),
    ...(after === undefined ? {} : { after: { ...markOf(after), data: () => after.data() } }),
  };
}
