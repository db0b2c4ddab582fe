import { assertOptions, oneOf } from '../../core/error/index.ts';
import {
  CellGuard,
  childPath,
  type DirectoryNode,
  type FileChange,
  type FileContent,
  type FileOperations,
  type FilePatch,
  type Filesystem,
  type FilesystemCapabilities,
  type FilesystemForkOptions,
  type FilesystemSnapshot,
  FilesystemView,
  type ForkedView,
  maxPathDepth,
  type OutsideChange,
  refuseArgument,
  type StagedChanges,
  type StageOptions,
  TreeCell,
  TreeFork,
  type ViewGuard,
} from '../../core/filesystem/index.ts';
import type { FolderSkip, FolderSkipReason } from '../folder-copy/copy-report.ts';
import { type PendingCommit, readPending } from './commit/pending-commits.ts';
import type { InterruptedCommit } from './commit/recover.ts';
import { type DiskFolder, registerDiskSource } from './disk-source.ts';
import { HostPaths, hostOperations } from './host-paths.ts';
import { landRecordedChanges } from './landing/land-recorded-changes.ts';
import { planLanding } from './landing/plan-landing.ts';
import { putBack } from './landing/plan-put-back.ts';
import { type OpenWorkspace, openLeasedWorkspace } from './open-workspace.ts';
import { type HostFilesystemOptions, hostLimitChecks } from './options.ts';
import { DiskContent, RefusedContent } from './tree/disk-content.ts';
import { DiskDirectory } from './tree/disk-directory.ts';
import type { DiskWorkspace } from './workspace/disk-workspace.ts';

/**
 * The files of a folder on disk, for one process at a time.
 *
 * - A fork reads through to the disk and keeps its writes private; what it has read once stays the same, or reading
 *   it again fails. `apply` writes its changes to the disk: all of them or none, even if the process is killed in the middle,
 *   because the next `open` restores the old tree or completes the new one.
 * - A change by another process in the folder is a conflict for every fork that has read the file, and for every fork that would
 *   overwrite it, read or not.
 * - Methods of the file system itself, outside a fork, are separate transactions.
 * - A snapshot costs nothing when it is taken: when this process later changes a file, the old content is kept next to the journal, each content
 *   once, until the snapshot is released and collected or the folder is closed. What other processes change is not kept, and `restore` does
 *   not touch it unless this process has written to the same files.
 * - `apply` throws `file-changed-on-disk` when another process has changed what the changes replace, `path-forbidden` for a write-protected
 *   file, and `filesystem-storage-failed` when the disk is full or fails; with `writeOn` other than `apply` the changes stay in memory.
 * - Symbolic links within the folder are followed, and results name their targets; a link that leads out of it is refused.
 *   Searches do not enter links to directories. `remove` and `move` act on the link itself. Fifos and devices are never
 *   opened.
 * - A replaced file keeps its permissions, and its owner where the process may set it. It gets a new inode: hard links
 *   to it keep the old content. Untouched files stay the same, including their modification times.
 *
 * - Changes by other processes are visible at the next access, also while changes are deferred (`writeOn`), and are never overwritten by these.
 *
 * - What could not be restored is neither removed nor copied (`path-excluded`), on its own or in a folder: names that are not valid in a
 *   path, fifos, sockets, devices, mounts. It can be moved, and moves with its folder.
 * - A folder that was renamed, removed or replaced since it was opened is neither read nor written: every method rejects
 *   with `root-replaced` until it is back at its path.
 *
 * Disk access is synchronous: the conflict check and the commit are one step that nothing else in this process can interrupt.
 */
export class HostFilesystem extends FilesystemView implements AsyncDisposable {
  declare readonly hostPath: string;
  /** The interrupted commits of a killed process that opening the folder found. */
  readonly interruptedCommits: readonly InterruptedCommit[];
  /** See {@link Filesystem.stage}. Undefined with `writeOn` other than `apply`: changes stay in memory. @internal */
  readonly stage?: (patch: FilePatch, options?: StageOptions) => StagedChanges;
  /** See {@link Filesystem}. Undefined where `stage` is. @internal */
  readonly '~land'?: NonNullable<Filesystem['~land']>;
  /** See {@link Filesystem}. @internal */
  readonly '~pendingRuns': NonNullable<Filesystem['~pendingRuns']>;
  /** See {@link Filesystem}. @internal */
  readonly '~putBack': NonNullable<Filesystem['~putBack']>;
  readonly #workspace: DiskWorkspace;
  readonly #stateFolder: string;
  readonly #lock: OpenWorkspace['lock'];
  readonly #lease: OpenWorkspace['lease'];

  /** See {@link openHostFilesystem}. @internal */
  constructor({ workspace, lock, lease, interruptedCommits, stateFolder }: OpenWorkspace) {
    const { jail, visible, allowsGitWrites } = workspace.parts;
    const capabilities = Object.freeze({ rollback: 'own-writes', symlinks: true, jail: jail.kind } as const);
    const folder: DiskFolder = { jail, visible, allowsGitWrites, overlayTrials: new Map() };
    super({
      capabilities,
      hostPath: jail.realPath,
      guard: new WorkspaceGuard(workspace, viewsOf(capabilities, folder)),
    });
    this.#workspace = workspace;
    this.#stateFolder = stateFolder;
    this.#lock = lock;
    this.#lease = lease;
    this.interruptedCommits = interruptedCommits;
    if (workspace.canStage) {
      this.stage = (patch, options) => workspace.stage(patch, TreeCell.forkOf(patch, workspace), options);
      this['~land'] = (changes, runId) => landRecordedChanges({ workspace, stateFolder }, changes, runId);
    }
    this['~pendingRuns'] = () => this.pendingCommits().map(({ runId }) => runId);
    this['~putBack'] = (paths, apply) => putBack(workspace, paths, apply);
    registerDiskSource(this, () => {
      const cell = workspace.present();
      return { ...folder, root: cell.root, record: (read) => void cell.resolve(read) };
    });
  }

  /**
   * The net difference between a snapshot and the present content, sorted by path: what this process has changed, and what other processes
   * have changed since at the same paths, or at paths that were read through the snapshot. The `before` of a file that
   * another process has replaced can no longer be read (`file-changed-on-disk`).
   * @throws {SnapshotError} `snapshot-released`.
   */
  changesSince(snapshot: FilesystemSnapshot): readonly FileChange[] {
    return this.#workspace.present().changesSince(snapshot);
  }

  /**
   * The entries that are not readable regular files, with the reasons of a mount: links (`symlink`; a target within the
   * folder is reachable through the link), links that lead out or nowhere (`symlink-outside`), fifos, sockets and devices
   * (`special-file`), files larger than `maxFileBytes` (`file-too-large`), names that are not valid in a path
   * (`name-not-allowed`). Sorted by path; reads every entry except excluded ones.
   */
  listSkipped(): readonly { [Name in keyof FolderSkip]: FolderSkip[Name] }[] {
    const { limits } = this.#workspace.parts;
    return skippedIn(this.#workspace.present().root, limits.maxFileBytes);
  }

  /**
   * Commits of runs with a journal that are not in the folder, although the journal may have decided them: their process was killed, or the
   * disk failed. Until such a run is settled or resumed, the folder is as it was before. At most one of each run, sorted by run.
   */
  pendingCommits(): readonly PendingCommit[] {
    this.#workspace.assertOpen();
    return readPending(this.#workspace.parts.jail, this.#stateFolder);
  }

  /**
   * With `writeOn: 'flush'`: the files where `flush` would overwrite or remove a change that another process has made since they were
   * first changed here, sorted by path.
   */
  outsideChanges(): readonly { [Name in keyof OutsideChange]: OutsideChange[Name] }[] {
    return this.#workspace.pendingConflicts();
  }

  /**
   * With `writeOn: 'flush'`: writes everything that was applied since the last flush to the disk, in one commit, all or none.
   * @throws {FilesystemError} `file-changed-on-disk` while there are `outsideChanges()`; `path-forbidden` for a write-protected file;
   * `filesystem-storage-failed` when the disk is full or fails; `root-replaced` when the folder itself is gone; `filesystem-read-only` with `writeOn: 'never'`. Then nothing was written and
   * nothing is lost: it can be retried.
   */
  flush(): void {
    this.#workspace.flush();
  }

  /** Closes the folder and releases its lock and lease. Any later access throws `TransactionClosedError`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#workspace.dispose();
    this.#lock.dispose();
    await this.#lease?.release();
  }
}

/** The entries of a tree that are not readable regular files, sorted by path. Entries deeper than the maximum depth are listed, but not entered. */
function skippedIn(root: DirectoryNode, maxFileBytes: number): readonly FolderSkip[] {
  const found: FolderSkip[] = [];
  const walk = (directory: DirectoryNode, path: string, depth: number): void => {
    if (directory instanceof DiskDirectory) {
      for (const name of directory.listing.invalidNames) {
        found.push({ path: childPath(path, name), reason: 'name-not-allowed' });
      }
    }
    for (const [name, node] of directory.entries) {
      const at = childPath(path, name);
      const reason = node.kind === 'file' ? reasonOf(node.content, maxFileBytes) : undefined;
      if (depth >= maxPathDepth) found.push({ path: at, reason: 'name-not-allowed' });
      else if (reason !== undefined) found.push({ path: at, reason });
      else if (node.kind === 'directory' && node.link !== undefined)
        found.push({ path: at, reason: 'symlink' });
      else if (node.kind === 'directory') walk(node, at, depth + 1);
    }
  };
  walk(root, '.', 0);
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function reasonOf(content: FileContent, maxFileBytes: number): FolderSkipReason | undefined {
  if (content instanceof RefusedContent) return content.isLink ? 'symlink-outside' : 'special-file';
  if (content instanceof DiskContent && content.isLink) return 'symlink';
  return content.bytes > maxFileBytes ? 'file-too-large' : undefined;
}

/**
 * Opens a folder: acquires its lock, and restores or completes the interrupted commits of a killed process. Dispose the result to
 * release the lock.
 * @throws {FilesystemError} `filesystem-locked` while another process, or another part of this one, has the folder open;
 * `path-not-found`, `path-not-directory`, `path-forbidden` for the folder; `argument-invalid`, `pattern-invalid` for an option;
 * `filesystem-storage-failed` when the lock or journal cannot be written, or an interrupted commit cannot be rolled back.
 */
export async function openHostFilesystem(options: HostFilesystemOptions): Promise<HostFilesystem> {
  assertOptions(
    'openHostFilesystem()',
    options,
    {
      clock: 'object',
      writeOn: oneOf(['apply', 'flush', 'never']),
      ...hostLimitChecks,
      root: 'string!',
      include: 'array',
      exclude: 'array',
      stateDirectory: 'string',
      allowGitWrites: 'boolean',
      journal: 'object',
    },
    refuseArgument,
  );
  return new HostFilesystem(await openLeasedWorkspace(options));
}

/** The factory of the views of a folder's forks. */
function viewsOf(
  capabilities: FilesystemCapabilities,
  folder: DiskFolder,
): (forked: ForkedView) => FilesystemView {
  const makeView = (forked: ForkedView): FilesystemView => {
    const { cell } = forked;
    const guard = new CellGuard(forked, makeView, new HostPaths(cell, folder));
    const view = new FilesystemView({
      capabilities,
      guard,
      hostPath: folder.jail.realPath,
      patchOf: (changes) => {
        guard.assertOpen();
        const { verdicts, operations } = planLanding(cell.root, changes, () => true);
        return [...verdicts.values()].includes('outside') ? undefined : { changes: operations };
      },
    });
    registerDiskSource(view, () => {
      guard.assertOpen();
      return { ...folder, root: cell.root, record: (read) => void cell.resolve(read) };
    });
    return view;
  };
  return makeView;
}

/** The guard of the folder itself: each change is a transaction of its own. */
class WorkspaceGuard implements ViewGuard {
  readonly #workspace: DiskWorkspace;
  readonly #makeView: (forked: ForkedView) => FilesystemView;

  /** @param makeView makes the views of forks. */
  constructor(workspace: DiskWorkspace, makeView: (forked: ForkedView) => FilesystemView) {
    this.#workspace = workspace;
    this.#makeView = makeView;
  }

  look(): FileOperations {
    return hostOperations(this.#workspace.present(), this.#workspace.parts);
  }

  change<Result>(act: (operations: FileOperations) => Result): Result {
    return this.#workspace.change((cell) => act(hostOperations(cell, this.#workspace.parts)));
  }

  /** A search pauses, so it reads a fork: what this process writes in the meantime does not reach it. */
  async search<Result>(
    act: (operations: FileOperations, assertOpen: () => void) => Promise<Result>,
  ): Promise<Result> {
    const workspace = this.#workspace;
    const { cell, dispose } = workspace.fork(workspace.takeSnapshot(), true);
    try {
      return await act(hostOperations(cell, workspace.parts), () => workspace.assertOpen());
    } finally {
      dispose();
    }
  }

  fork(options: FilesystemForkOptions): TreeFork {
    const workspace = this.#workspace;
    const seen = workspace.takeSnapshot();
    const { cell, dispose } = workspace.fork(seen, options.readOnly === true);
    return new TreeFork(cell, undefined, this.#makeView, {
      conflicts: () => workspace.conflicts(cell, seen),
      refusals: () => workspace.refusals(cell),
      owner: workspace,
      onDispose: dispose,
    });
  }

  snapshot(tag: string | undefined): FilesystemSnapshot {
    const { root } = this.#workspace.takeSnapshot();
    this.#workspace.retain(root);
    return this.#workspace.cellShowing(root).snapshot(tag);
  }

  restore(snapshot: FilesystemSnapshot): void {
    this.#workspace.restore((cell) => cell.restore(snapshot));
  }

  apply(patch: FilePatch): void {
    this.#workspace.apply(patch, TreeCell.forkOf(patch, this.#workspace));
  }
}
