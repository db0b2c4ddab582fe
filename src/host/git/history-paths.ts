import { FilesystemError } from '../../core/error/index.ts';
import { normalizePath } from '../../core/filesystem/index.ts';
import { quoteText, startOf } from '../../core/internal/index.ts';
import type { PathKind, VisiblePaths } from '../host-filesystem/tree/visible-paths.ts';
import { GitRefusal } from './git-error.ts';

/** Decides which paths of the history may be shown: those that the workspace would show if they were on disk. */
export class HistoryPaths {
  readonly #visible: VisiblePaths | undefined;

  constructor(visible: VisiblePaths | undefined) {
    this.#visible = visible;
  }

  /** The path that git printed; undefined when it must not be shown, or is not a path that a workspace can have. */
  shown(bytes: Uint8Array, kind: PathKind = 'file'): string | undefined {
    let path: string;
    try {
      path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      if (path === '.' || normalizePath(path) !== path) return undefined;
    } catch {
      // Not UTF-8, or not a path of a workspace: an attacker can write any bytes as the name of a tree entry.
      return undefined;
    }
    return this.#isVisible(path, kind) ? path : undefined;
  }

  /**
   * The path that the model asks for.
   * @returns undefined for the root.
   * @throws {GitRefusal} when it is not a path of the workspace, or is excluded.
   */
  requested(given: string): string | undefined {
    let path: string;
    try {
      path = normalizePath(given);
    } catch (error) {
      if (!FilesystemError.isInstance(error)) throw error;
      throw new GitRefusal(
        `${error.message} Use a path from the root of the workspace, for example "src/main.ts".`,
      );
    }
    if (path === '.') return undefined;
    if (this.#isVisible(path)) return path;
    throw new GitRefusal(
      `${quoteText(startOf(path, 200))} is excluded from this workspace: its history is not shown either. Use another path.`,
    );
  }

  /** Git's own directory is never part of a commit that git itself has made. */
  #isVisible(path: string, kind?: PathKind): boolean {
    if (path.split('/').some((segment) => segment.toLowerCase() === '.git')) return false;
    return this.#visible?.reachesInAnyCase(path, kind) ?? true;
  }
}
