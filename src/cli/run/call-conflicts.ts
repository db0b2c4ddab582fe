import { FilesystemError } from '../../error/index.ts';
import { readName } from '../../internal/index.ts';
import type { RunEvent } from '../../runtime/index.ts';
import { type ApplyConflict, pathIn } from './apply-to-folder.ts';

/** What a call of the run has read of the folder and was changed under it, as conflicts tell it. */
const folderRead = /^(?:file|kind|emptiness|names|tree|listing|glob|grep) (.+)$/;

/**
 * Calls that were given up since somebody else kept changing what they had read or were to write. Only changes from outside
 * make a call be given up. A later call that writes to the same path settles it.
 */
export class CallConflicts {
  readonly #open = new Map<string, string>();

  observe(event: RunEvent): void {
    if (event.type !== 'tool-call-end') return;
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

  /** Those that no later call has settled, sorted by path. */
  unsettled(): readonly ApplyConflict[] {
    return [...this.#open]
      .map(([path, toolName]) => ({
        path,
        reason: `was changed on disk while ${toolName} ran, which was given up`,
      }))
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  }
}
