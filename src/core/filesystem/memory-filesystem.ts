import { assertOptions, integer, type OptionsOf, withDefaults } from '../error/index.ts';
import { type Clock, systemClock } from '../session/index.ts';
import { emptyDirectory } from './content/tree-node.ts';
import { CellGuard, FilesystemView, type FilesystemViewParts } from './filesystem-view.ts';
import { TreeCell } from './fork/tree-cell.ts';
import type { ForkedView } from './fork/tree-fork.ts';
import type { FileChange } from './interface/file-change.ts';
import type { FilesystemCapabilities, FilesystemSnapshot } from './interface/filesystem.ts';
import { writeFile } from './operations/file-operations.ts';
import { refuseArgument } from './path/errors.ts';
import { fileChanges } from './tree/tree-difference.ts';

/** The initial content and the limits of a memory file system. */
export interface MemoryFilesystemOptions {
  /**
   * Content to start with: a snapshot of any `MemoryFilesystem`. Shared, not copied, and never changed by this one.
   * Default: none.
   */
  readonly base?: FilesystemSnapshot;
  /** The files to start with, by path; they replace those of `base`. Default: none. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The maximum total bytes of all files, at least 0; a copy counts like any other file. Default: 1 GiB. */
  readonly maxBytes?: number;
  /** The maximum bytes of one file, at least 0. Default: 33,554,432 (32 MiB). */
  readonly maxFileBytes?: number;
  /** The maximum number of files, at least 0. Default: 1,000,000. The limit on directories is always 1,000,000. */
  readonly maxFiles?: number;
  /**
   * The source of modification times. With `yieldToTimers` a long search yields to timers about every 20 milliseconds. Default: the system clock.
   */
  readonly clock?: Pick<Clock, 'now' | 'yieldToTimers'>;
}

const memoryChecks: OptionsOf<MemoryFilesystemOptions, 'maxBytes' | 'maxFileBytes' | 'maxFiles'> = {
  base: 'object',
  files: 'object',
  maxBytes: integer({ min: 0, default: 1_073_741_824 }),
  maxFileBytes: integer({ min: 0, default: 33_554_432 }),
  maxFiles: integer({ min: 0, default: 1_000_000 }),
  clock: 'object',
};

const capabilities: FilesystemCapabilities = Object.freeze({
  rollback: 'all',
  symlinks: false,
  jail: 'virtual',
});

/** The cell of a new file system. */
function cellFor(options: MemoryFilesystemOptions): TreeCell {
  const { clock = systemClock, base } = options;
  const root = base === undefined ? emptyDirectory : TreeCell.inspect(base);
  const { maxBytes, maxFileBytes, maxFiles } = withDefaults(memoryChecks, options);
  const cell = TreeCell.of(root, { maxBytes, maxFileBytes, maxFiles, maxDirectories: 1_000_000 }, clock);
  // An empty update that checks the limits: the owner of the snapshot may have had others.
  if (base !== undefined) cell.update('.', []);
  const mode = base === undefined ? 'create' : 'overwrite';
  for (const [path, data] of Object.entries(options.files ?? {})) writeFile(cell, path, data, mode);
  return cell;
}

function viewOf(forked: ForkedView): FilesystemView {
  return new FilesystemView(partsOf(forked));
}

function partsOf(forked: ForkedView): FilesystemViewParts {
  return { capabilities, guard: new CellGuard(forked, viewOf) };
}

/**
 * Files in memory, as a persistent tree: forks and snapshots cost O(1) and share what they do not change.
 * Forks check their reads and are applied in one synchronous step each.
 */
export class MemoryFilesystem extends FilesystemView {
  readonly #cell: TreeCell;

  /**
   * @throws {FilesystemError} for a limit out of range, a bad path in `files`, or content that breaks a limit.
   * @throws {SnapshotError} `snapshot-foreign` when another kind of file system made `base`, `snapshot-released`.
   */
  constructor(options: MemoryFilesystemOptions = {}) {
    assertOptions('new MemoryFilesystem()', options, memoryChecks, refuseArgument);
    const cell = cellFor(options);
    super(partsOf({ cell, isSealed: undefined, countsReads: false }));
    this.#cell = cell;
  }

  /** The differences between two snapshots, sorted by path, in time proportional to the nodes that they do not share. */
  static diff(before: FilesystemSnapshot, after: FilesystemSnapshot): readonly FileChange[] {
    return fileChanges(TreeCell.inspect(before), TreeCell.inspect(after));
  }

  /** See `Filesystem.lose`. @internal */
  lose(reason: Error): void {
    this.#cell.lose(reason);
  }

  /** The differences between a snapshot of this file system and its present content, sorted by path. */
  changesSince(snapshot: FilesystemSnapshot): readonly FileChange[] {
    this.#cell.assertOpen();
    return this.#cell.changesSince(snapshot);
  }
}
