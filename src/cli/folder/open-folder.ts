import { basename, resolve } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import type { AgentWorkspace, WorkspaceApplication } from '../../core/evaluation/index.ts';
import type {
  FileChange,
  Filesystem,
  FilesystemSnapshot,
  OutsideChange,
} from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RunJournal } from '../../core/runtime/index.ts';
import {
  type CallConflicts,
  type InterruptedCommit,
  openHostWorkspace,
  type PendingCommit,
} from '../../host/index.ts';
import type { ApplyMode } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';
import { namedPaths, printable } from '../process/plain-text.ts';

/** A folder on disk that an agent works on. */
export interface OpenedFolder {
  /** Base name of the folder. */
  readonly name: string;
  /** The path as given by the user. Never for events or prompts. */
  readonly hostPath: string;
  readonly filesystem: Filesystem & {
    changesSince(snapshot: FilesystemSnapshot): readonly FileChange[];
  };
  /** When changes are written to disk; undefined: never. */
  readonly mode: ApplyMode | undefined;
  /** The changes to write at the end; undefined in other modes. */
  readonly held:
    | { outsideChanges(): readonly OutsideChange[]; apply(): Promise<WorkspaceApplication> }
    | undefined;
  /** The calls that lost against other processes. It observes the run. */
  readonly callConflicts: CallConflicts;
  /** Names of directories that are excluded at any depth. */
  readonly leftOutNames: readonly string[];
  /** Findings of opening it, one line each. */
  readonly notes: readonly string[];
  /** Commits of durable runs that are not in the folder although their journal may have decided them. */
  readonly pending: readonly PendingCommit[];
  /** Releases the folder. Changes that are not written by then are lost. */
  readonly close: () => Promise<void>;
}

/** How a folder is held by its writer. */
export interface OpenFolderOptions {
  /** The journal with the lease of the folder; default: the folder has a lock only. */
  readonly journal?: RunJournal | undefined;
  /** The directory of lock and journal; default: a directory of the user. */
  readonly stateDirectory?: string;
  /** What the user can do when the folder is in use, other than wait; default: nothing. */
  readonly insteadOfWaiting?: string | undefined;
}

/** The name of a folder in prompts and reports. */
export function folderName(folder: string | undefined): string {
  return printable(basename(resolve(folder ?? '.'))) || '/';
}

/**
 * Opens the folder given by the user; undefined for the current one.
 * @param workspace which of its files are visible.
 * @param mode when changes are written to it. With a mode, the folder is locked against other writers; without one, it is
 * only read.
 * @throws {UsageError} when the folder does not exist, cannot be read or is in use, or the agent's globs are invalid.
 */
export async function openFolder(
  folder: string | undefined,
  workspace: AgentWorkspace,
  mode: ApplyMode | undefined,
  { journal, stateDirectory, insteadOfWaiting }: OpenFolderOptions = {},
): Promise<OpenedFolder> {
  const hostPath = folder ?? '.';
  try {
    const opened = await openHostWorkspace({
      folder: hostPath,
      rules: workspace,
      apply: mode ?? 'never',
      ...present({ journal, stateDirectory }),
    });
    const { filesystem } = opened;
    const held = { outsideChanges: () => filesystem.outsideChanges(), apply: () => opened.apply() };
    return {
      name: folderName(folder),
      hostPath,
      filesystem,
      mode,
      held: mode === 'end' ? held : undefined,
      callConflicts: opened.observer,
      leftOutNames: namesLeftOut(opened.excluded),
      notes: filesystem.interruptedCommits.map(interruptionNote),
      pending: filesystem.pendingCommits(),
      close: () => filesystem[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    throw new UsageError(folderMessage(error, printable(hostPath), insteadOfWaiting), { cause: error });
  }
}

function folderMessage(error: FilesystemError, folder: string, insteadOfWaiting: string | undefined): string {
  switch (error.code) {
    case 'path-not-found':
      return `there is no folder "${folder}".`;
    case 'path-not-directory':
      return `"${folder}" is not a directory.`;
    case 'path-forbidden':
      return `the folder "${folder}" cannot be read: access is denied.`;
    case 'filesystem-locked':
      return (
        `the folder "${folder}" is in use by ${holderOf(error)}, which writes to it. ` +
        `Wait until it has ended${insteadOfWaiting === undefined ? '' : `, or ${insteadOfWaiting}`}.`
      );
    default:
      return error.details['option'] === 'stateDirectory'
        ? `lock and journal of "${folder}" cannot be kept: set XDG_STATE_HOME to a writable folder outside of it.`
        : `the folder "${folder}" cannot be used: ${printable(error.message)}`;
  }
}

/** A lease says less of its owner than a lock. */
function holderOf({ details }: FilesystemError): string {
  const { pid } = details;
  return typeof pid === 'number' ? `process ${pid}` : 'another process';
}

function interruptionNote({ outcome, paths }: InterruptedCommit): string {
  const files = namedPaths(paths) || 'something';
  switch (outcome) {
    case 'restored':
      return `an earlier run was killed while it wrote ${files}; the state before that was restored`;
    case 'completed':
      return `an earlier run was killed after it had written ${files}; its temporary files were removed`;
    case 'left':
      return `an earlier run was killed while it wrote ${files}; the next run with --apply restores the state before that`;
  }
}

/** Names of directories that are excluded at any depth, where globs name them. */
function namesLeftOut(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.flatMap((glob) => /^\*\*\/([^/*?[\]{}!]+)\/\*\*$/.exec(glob)?.[1] ?? []))].sort();
}
