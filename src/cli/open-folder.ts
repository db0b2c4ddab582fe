import { basename, resolve } from 'node:path';
import type { AgentWorkspace } from '../adapter/index.ts';
import { FilesystemError } from '../error/index.ts';
import { decodeText, MemoryFilesystem } from '../filesystem/index.ts';
import { DEFAULT_MOUNT_EXCLUDES, hostMount, type MountReport, type MountSkipReason } from '../node/index.ts';
import { counted, printable, readableBytes } from './plain-text.ts';
import type { Unmounted } from './review/unmounted.ts';

/** A folder of the disk, mounted copy-on-write. */
export interface OpenedFolder {
  /** Name of the folder without the way to it. */
  readonly name: string;
  /** The way to it, as it was given. Never for events or prompts. */
  readonly hostPath: string;
  readonly filesystem: MemoryFilesystem;
  readonly files: number;
  readonly bytes: number;
  readonly unmounted: Unmounted;
  /** What was left out or cannot be shown, one line each. */
  readonly notes: readonly string[];
}

/** The folder cannot be used. `message` is one line for the person who named it. */
export class FolderError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'FolderError';
  }
}

/** Paths that one note names. */
const NAMED_PATHS = 3;

/** Bytes of one file that a workspace takes by default, and what its file system takes at least. */
const MAX_FILE_BYTES = 8_388_608;
const MIN_FILESYSTEM_FILE_BYTES = 33_554_432;

const reasonsFor = (workspace: AgentWorkspace): Readonly<Record<MountSkipReason, string>> => ({
  symlink: 'a symbolic link',
  'symlink-outside': 'a symbolic link that leads out of the folder',
  'symlink-cycle': 'a symbolic link into its own parents',
  'special-file': 'no ordinary file',
  unreadable: 'not readable',
  'file-too-large': `larger than ${readableBytes(workspace.maxFileBytes ?? MAX_FILE_BYTES)}`,
  'mount-full': 'beyond the bytes that are taken in all',
  'changed-while-reading': 'changed while it was read',
  'name-not-allowed': 'its name is no UTF-8 or not allowed in a workspace',
});

/** The name by which a folder is called in prompts and reports. */
export function folderName(folder: string | undefined): string {
  return printable(basename(resolve(folder ?? '.'))) || '/';
}

/**
 * Mounts the folder that a person named; undefined for the current one.
 * @param workspace which of its files are taken.
 * @throws {FolderError} when there is no such folder, it cannot be read, or the agent's globs cannot be used.
 * @throws the signal's reason when it is aborted.
 */
export async function openFolder(
  folder: string | undefined,
  workspace: AgentWorkspace,
  signal: AbortSignal,
): Promise<OpenedFolder> {
  const hostPath = folder ?? '.';
  try {
    const { files, report } = await hostMount({ ...workspace, hostPath, allowedRoots: [hostPath], signal });
    const binaries = Object.keys(files)
      .filter((path) => decodeText(files[path] ?? new Uint8Array()) === undefined)
      .sort();
    const reasons = reasonsFor(workspace);
    return {
      name: folderName(folder),
      hostPath,
      // A file that was let in fits, whatever a file system takes by default.
      filesystem: new MemoryFilesystem({
        files,
        maxFileBytes: Math.max(MIN_FILESYSTEM_FILE_BYTES, workspace.maxFileBytes ?? 0),
      }),
      files: report.files,
      bytes: report.bytes,
      unmounted: toUnmounted(report, workspace, reasons),
      notes: [
        ...skipNotes(report, reasons),
        ...pathsNote('not shown as text, a binary', binaries, binaries.length),
      ],
    };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    throw new FolderError(folderMessage(error, printable(hostPath)), { cause: error });
  }
}

function folderMessage(error: FilesystemError, folder: string): string {
  switch (error.code) {
    case 'not-found':
      return `there is no folder "${folder}".`;
    case 'not-a-directory':
      return `"${folder}" is no folder.`;
    case 'permission-denied':
      return `the folder "${folder}" cannot be read: access is denied.`;
    default:
      return `the folder "${folder}" cannot be used: ${printable(error.message)}`;
  }
}

type Reasons = Readonly<Record<MountSkipReason, string>>;

function toUnmounted(report: MountReport, workspace: AgentWorkspace, reasons: Reasons): Unmounted {
  const entries = report.skipped.map(({ path, reason }) => ({
    path: printable(path),
    reason: reasons[reason],
  }));
  const isCut = report.stoppedBy !== undefined;
  const whole = isCut ? [{ path: '.', reason: 'holds more than was taken' }] : [];
  return {
    folders: leftOutNames(workspace),
    entries: [...whole, ...entries],
    total: report.skippedCount + whole.length,
  };
}

/** Names of directories that are left out wherever they stand, as far as the globs say it by name. */
function leftOutNames({ exclude = [], defaultExcludes = true }: AgentWorkspace): readonly string[] {
  const globs = [...(defaultExcludes ? DEFAULT_MOUNT_EXCLUDES : []), ...exclude];
  return [...new Set(globs.flatMap((glob) => /^\*\*\/([^/*?[\]{}!]+)\/\*\*$/.exec(glob)?.[1] ?? []))].sort();
}

function skipNotes(report: MountReport, reasons: Reasons): readonly string[] {
  const byReason = new Map<MountSkipReason, string[]>();
  for (const { path, reason } of report.skipped) {
    const paths = byReason.get(reason);
    if (paths === undefined) byReason.set(reason, [path]);
    else paths.push(path);
  }
  const notes = [...byReason].flatMap(([reason, paths]) =>
    pathsNote(`left out, ${reasons[reason]}`, paths, paths.length),
  );
  const unnamed = report.skippedCount - report.skipped.length;
  if (unnamed > 0) notes.push(`left out: ${counted(unnamed, 'further entry', 'further entries')}`);
  if (report.stoppedBy !== undefined) {
    notes.push(`the folder holds too much: only its first ${counted(report.files, 'file')} were taken`);
  }
  return notes;
}

function pathsNote(what: string, paths: readonly string[], total: number): readonly string[] {
  if (total === 0) return [];
  const named = paths.slice(0, NAMED_PATHS).map(printable).join(', ');
  return [
    `${what}: ${named}${total > NAMED_PATHS ? ` and ${(total - NAMED_PATHS).toLocaleString('en-US')} more` : ''}`,
  ];
}
