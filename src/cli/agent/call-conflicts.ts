import { FilesystemError } from '../../core/error/index.ts';
import { readName } from '../../core/internal/index.ts';
import type { RunEvent } from '../../core/runtime/index.ts';
import { type ApplyConflict, pathIn } from '../folder/apply-to-folder.ts';

/** The part of the folder that a call has read and that changed during it, as conflicts name it. */
const folderRead = /^(?:file|kind|emptiness|names|tree|listing|glob|grep) (.+)$/;

/**
 * Calls that failed because another process kept changing files that they had read or were to write. A call fails in this
 * way only because of changes from outside. A later call that writes the same path resolves it.
 */
export class CallConflicts {
  readonly #open = new Map<string, string>();

  observe(event: RunEvent): void {
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
  unsettled(): readonly ApplyConflict[] {
    return [...this.#open]
      .map(([path, toolName]) => ({
        path,
        reason: `was changed on disk while ${toolName} ran, which failed`,
      }))
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  }
}
