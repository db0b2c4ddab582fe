import { basename, resolve } from 'node:path';
import { FilesystemError } from '../../error/index.ts';
import type { AgentWorkspace } from '../../evaluation/index.ts';
import type { FileChange, Filesystem, FilesystemSnapshot } from '../../filesystem/index.ts';
import { showName } from '../../internal/index.ts';
import {
  defaultMountExcludes,
  HostFilesystem,
  type HostMountSkip,
  type InterruptedCommit,
} from '../../node/index.ts';
import { printable } from '../process/plain-text.ts';

/** When changes are written to the folder: all of them at the end of a run that went well, or those of each call as it succeeds. */
export type ApplyMode = 'end' | 'each';

/** A folder of the disk that an agent works on. */
export interface OpenedFolder {
  /** Name of the folder without the way to it. */
  readonly name: string;
  /** The way to it, as it was given. Never for events or prompts. */
  readonly hostPath: string;
  readonly filesystem: Filesystem & {
    changesSince(snapshot: FilesystemSnapshot): readonly FileChange[];
  };
  /** When changes come to the disk; undefined: never. */
  readonly mode: ApplyMode | undefined;
  /** What is to be written at the end; undefined unless that is the mode. */
  readonly held: Pick<HostFilesystem, 'outsideChanges' | 'flush'> | undefined;
  /** Names of directories that are left out wherever they stand. */
  readonly leftOutNames: readonly string[];
  /** What is no ordinary file that can be read. Looks at the whole folder. */
  readonly listSkipped: () => readonly HostMountSkip[];
  /** What opening it found, one line each. */
  readonly notes: readonly string[];
  /** Gives it free. What is not written by then never is. */
  readonly close: () => Promise<void>;
}

/** The folder cannot be used. `message` is one line for the person who named it. */
export class FolderError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'FolderError';
  }
}

/** Paths that one note names. */
const maxNamedPaths = 3;

/** The name by which a folder is called in prompts and reports. */
export function folderName(folder: string | undefined): string {
  return printable(basename(resolve(folder ?? '.'))) || '/';
}

/**
 * Opens the folder that a person named; undefined for the current one.
 * @param workspace which of its files are shown.
 * @param mode when changes are written to it. With one, nobody else can open it so; without, it is only read.
 * @param stateDirectory where lock and journal are kept. Default: a folder of the user.
 * @throws {FolderError} when there is no such folder, it cannot be read, is in use, or the agent's globs cannot be used.
 */
export async function openFolder(
  folder: string | undefined,
  workspace: AgentWorkspace,
  mode: ApplyMode | undefined,
  stateDirectory?: string,
): Promise<OpenedFolder> {
  const hostPath = folder ?? '.';
  const { exclude = [], defaultExcludes = true, ...rest } = workspace;
  const leftOut = [...(defaultExcludes ? defaultMountExcludes : []), ...exclude];
  try {
    const filesystem = await HostFilesystem.open({
      ...rest,
      root: hostPath,
      exclude: leftOut,
      writeOn: mode === undefined ? 'never' : mode === 'each' ? 'apply' : 'flush',
      ...(stateDirectory === undefined ? {} : { stateDirectory }),
    });
    return {
      name: folderName(folder),
      hostPath,
      filesystem,
      mode,
      held: mode === 'end' ? filesystem : undefined,
      leftOutNames: namesLeftOut(leftOut),
      listSkipped: () => skippedIn(filesystem),
      notes: filesystem.interruptedCommits.map(interruptionNote),
      close: () => filesystem[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    throw new FolderError(folderMessage(error, printable(hostPath)), { cause: error });
  }
}

/** A folder that went away meanwhile cannot be looked at. */
function skippedIn(filesystem: HostFilesystem): readonly HostMountSkip[] {
  try {
    return filesystem.listSkipped();
  } catch (error) {
    if (FilesystemError.isInstance(error)) return [{ path: '.', reason: 'unreadable' }];
    throw error;
  }
}

function folderMessage(error: FilesystemError, folder: string): string {
  switch (error.code) {
    case 'path-not-found':
      return `there is no folder "${folder}".`;
    case 'path-not-directory':
      return `"${folder}" is no folder.`;
    case 'path-forbidden':
      return `the folder "${folder}" cannot be read: access is denied.`;
    case 'filesystem-locked':
      return (
        `the folder "${folder}" is in use by process ${String(error.details['pid'])}, which writes to it. ` +
        'Wait until that has ended, or leave out --apply.'
      );
    default:
      return error.details['option'] === 'stateDirectory'
        ? `lock and journal of "${folder}" cannot be kept: set XDG_STATE_HOME to a folder outside of it that can be written.`
        : `the folder "${folder}" cannot be used: ${printable(error.message)}`;
  }
}

function interruptionNote({ outcome, paths }: InterruptedCommit): string {
  const rest = paths.length - maxNamedPaths;
  const named = paths.slice(0, maxNamedPaths).map(showName).join(', ');
  const files = `${named || 'something'}${rest > 0 ? ` and ${rest} more` : ''}`;
  switch (outcome) {
    case 'restored':
      return `an earlier run was ended while it wrote ${files}; the state before that was restored`;
    case 'completed':
      return `an earlier run was ended when it had written ${files}; what it left behind was cleared away`;
    case 'left':
      return `an earlier run was ended while it wrote ${files}; the next run with --apply restores the state before that`;
  }
}

/** Names of directories that are left out wherever they stand, as far as the globs say it by name. */
function namesLeftOut(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.flatMap((glob) => /^\*\*\/([^/*?[\]{}!]+)\/\*\*$/.exec(glob)?.[1] ?? []))].sort();
}
