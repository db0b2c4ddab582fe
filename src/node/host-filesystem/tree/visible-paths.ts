import { FilesystemError } from '../../../error/index.ts';
import { childPath, type TreeNode } from '../../../filesystem/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { compileMountFilter, type MountFilter } from '../../host-mount/mount-filter.ts';

/** The kind of a path. */
export type PathKind = 'file' | 'directory';

/** The paths of a folder that are visible in its file system. Other paths are neither read nor written, whatever they contain. */
export class VisiblePaths {
  readonly #filter: MountFilter;

  private constructor(filter: MountFilter) {
    this.#filter = filter;
  }

  /**
   * @returns undefined when every path is visible.
   * @throws {FilesystemError} `pattern-invalid`.
   */
  static of(options: {
    readonly include?: readonly string[];
    readonly exclude?: readonly string[];
  }): VisiblePaths | undefined {
    const { include, exclude } = options;
    if (include === undefined && (exclude === undefined || exclude.length === 0)) return undefined;
    return new VisiblePaths(
      compileMountFilter({
        ...(include === undefined ? {} : { include }),
        ...(exclude === undefined ? {} : { exclude }),
        defaultExcludes: false,
      }),
    );
  }

  /** Whether a path with visible parents is visible. Without a kind: whether it is visible as either kind. */
  shows(path: string, kind?: PathKind): boolean {
    if (this.#filter.excludes(path)) return false;
    return (
      (kind !== 'directory' && this.#filter.includes(path)) || (kind !== 'file' && this.#filter.enters(path))
    );
  }

  /** Whether a path and all its parents are visible. */
  reaches(path: string, kind?: PathKind): boolean {
    if (path === '.') return true;
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      if (this.#filter.excludes(path.slice(0, end))) return false;
    }
    return this.shows(path, kind);
  }

  /** @throws {FilesystemError} `path-excluded`. */
  assertReached(path: string, kind?: PathKind): void {
    if (this.reaches(path, kind)) return;
    throw new FilesystemError(
      'path-excluded',
      `${quoteText(path)} is excluded from this workspace: it is neither read nor written. Use another path.`,
      { details: { path } },
    );
  }

  /** The same for a node that is written to a path, and for its content. */
  assertTreeReached(path: string, node: TreeNode): void {
    this.assertReached(path, node.kind);
    if (node.kind === 'file') return;
    for (const [name, child] of node.entries) this.assertTreeReached(childPath(path, name), child);
  }
}
