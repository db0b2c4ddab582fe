import { childPath, pathError, type TreeNode } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { compileFolderFilter, type FolderFilter } from '../../folder-copy/folder-filter.ts';

/** The kind of a path. */
export type PathKind = 'file' | 'directory';

/** The paths of a folder that are visible in its file system. Other paths are neither read nor written, whatever they contain. */
export class VisiblePaths {
  readonly #filter: FolderFilter;
  readonly #exclude: readonly string[];
  #lowerCase: VisiblePaths | undefined;

  private constructor(filter: FolderFilter, exclude: readonly string[]) {
    this.#filter = filter;
    this.#exclude = exclude;
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
      compileFolderFilter({
        ...present({ include, exclude }),
        defaultExcludes: false,
      }),
      exclude ?? [],
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

  /**
   * Whether a path and all its parents are visible, and no spelling of it in other letter cases is excluded: for paths of another origin than
   * the disk, which may ignore case.
   */
  reachesInAnyCase(path: string, kind?: PathKind): boolean {
    if (!this.reaches(path, kind)) return false;
    this.#lowerCase ??= VisiblePaths.of({ exclude: this.#exclude.map(toLowerCase) });
    return this.#lowerCase?.reaches(toLowerCase(path), kind) ?? true;
  }

  /** @throws {FilesystemError} `path-excluded`. */
  assertReached(path: string, kind?: PathKind): void {
    if (this.reaches(path, kind)) return;
    throw pathError(
      'path-excluded',
      path,
      'is excluded from this workspace: it is neither read nor written. Use another path.',
    );
  }

  /** The same for a node that is written to a path, and for its content. */
  assertTreeReached(path: string, node: TreeNode): void {
    this.assertReached(path, node.kind);
    if (node.kind === 'file') return;
    for (const [name, child] of node.entries) this.assertTreeReached(childPath(path, name), child);
  }
}

/** Also in one of the forms that Unicode has for a letter with an accent. */
function toLowerCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
