import { FilesystemError } from '../../core/error/index.ts';
import { readName } from '../../core/internal/index.ts';
import type { RunEvent, RunObserver } from '../../core/runtime/index.ts';

/** A file that another process kept changing while a call worked with it, so that the call failed. */
export interface CallConflict {
  /** Relative to the folder. */
  readonly path: string;
  /** The tool of the call that failed. */
  readonly toolName: string;
}

/** The part of the folder that a call has read and that changed during it, as conflicts name it. */
const folderRead = /^(?:file|kind|emptiness|names|tree|listing|glob|grep) (.+)$/;

/**
 * Calls that failed because another process kept changing files that they had read or were to write. A call fails in this
 * way only because of changes from outside. A later call that writes the same path resolves it.
 */
export class CallConflicts implements RunObserver {
  readonly eventTypes: readonly RunEvent['type'][] = ['tool-call-end'];
  readonly #open = new Map<string, string>();

  onEvent(event: RunEvent): void {
    if (event.type !== 'tool-call-end' || event.path.length > 0) return;
    const { outcome, reason, toolName, conflicts, changes } = event.invocation;
    if (outcome === 'committed') {
      for (const { path } of changes) this.#open.delete(path);
    } else if (reason === 'conflict') {
      const paths = conflicts.flatMap((phrase) => folderRead.exec(phrase)?.[1] ?? []).map(readName);
      for (const path of paths) this.#open.set(path, toolName);
    } else if (FilesystemError.isInstance(event.cause) && event.cause.code === 'file-changed-on-disk') {
      this.#open.set(pathIn(event.cause), toolName);
    }
  }

  /** Conflicts that no later call has resolved, sorted by path. */
  unsettled(): readonly CallConflict[] {
    return [...this.#open]
      .map(([path, toolName]) => ({ path, toolName }))
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  }
}

/** The path of an error; the folder itself when it names none. */
export function pathIn(error: FilesystemError): string {
  const { path } = error.details;
  return typeof path === 'string' ? path : '.';
}
