import { assertOptions, FilesystemError } from '../../error/index.ts';
import {
  childPath,
  type DirectoryEntry,
  type DirectoryNode,
  type EditResult,
  type FileChange,
  type FileContent,
  type FilePatch,
  type FileStat,
  type Filesystem,
  type FilesystemCapabilities,
  type FilesystemForkOptions,
  type FilesystemSnapshot,
  type ForkedView,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  MAX_DEPTH,
  type MakeDirectoryResult,
  type RemoveResult,
  type TextEdit,
  type TextWindow,
  type TextWindowOptions,
  type TransferResult,
  TreeCell,
  TreeFork,
  type WriteMode,
  type WriteResult,
} from '../../filesystem/index.ts';
import type { HostMountSkip, HostMountSkipReason } from '../host-mount/mount-report.ts';
import type { InterruptedCommit } from './commit/recover.ts';
import { type DiskFolder, registerDiskSource } from './disk-source.ts';
import { HostOperations } from './host-operations.ts';
import { type HostFilesystemFork, type HostView, viewsOf } from './host-view.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';
import type { HostFilesystemOptions } from './options.ts';
import { DiskContent, RefusedContent } from './tree/disk-content.ts';
import { DiskDirectory } from './tree/disk-directory.ts';
import type { DiskWorkspace } from './workspace/disk-workspace.ts';
import type { OutsideChange } from './workspace/outside-changes.ts';

/**
 * The files of a folder of the disk, for one process at a time.
 *
 * - A fork reads through to the disk and keeps what it writes to itself; what it has read once stays as it was, or reading
 *   it again fails. `apply` brings its changes to the disk: all of them or none, also when the process is killed meanwhile,
 *   since the next `open` restores the old tree or completes the new one.
 * - What somebody else changes in the folder is a conflict for every fork that has read it, and for every fork that would
 *   write over it, read or not.
 * - Methods of the file system itself, outside of a fork, are transactions of their own.
 * - Symbolic links within the folder are followed, results name what they lead to; one that leads out of it is refused.
 *   Searches do not enter links to directories. `remove` and `move` mean the link itself. Fifos and devices are never
 *   opened.
 * - A replaced file keeps its permissions, and its owner where the process may set it. It becomes another inode: hard links
 *   to it keep the old content. What is not touched stays as it is, to the modification time.
 *
 * - What others change shows at the next look, also where changes are held back (`writeOn`), and is never overwritten by those.
 *
 * - What could not be brought back is neither removed nor copied (`path-excluded`), by itself or in a folder: names that no path can
 *   have, fifos, sockets, devices, mounts. It can be moved, and moves with its folder.
 * - A folder that was renamed, removed or replaced since it was opened is neither read nor written: every method rejects
 *   with `root-replaced` until it is back in its place.
 *
 * Disk access is synchronous: conflicts and commit are one step that nothing in this process can come between.
 */
export class HostFilesystem implements Filesystem, AsyncDisposable {
  readonly capabilities: FilesystemCapabilities;
  /** What `open` found of commits that a killed process had left in the middle. */
  readonly interruptedCommits: readonly InterruptedCommit[];
  readonly #workspace: DiskWorkspace;
  readonly #lock: OpenWorkspace['lock'];
  readonly #makeView: (forked: ForkedView) => HostView;

  private constructor({ workspace, lock, interruptedCommits }: OpenWorkspace) {
    this.#workspace = workspace;
    this.#lock = lock;
    this.interruptedCommits = interruptedCommits;
    this.capabilities = Object.freeze({
      rollback: 'own-writes',
      symlinks: true,
      jail: workspace.jail.kind,
    });
    const { jail, visible } = workspace;
    const folder: DiskFolder = { jail, visible, overlayTrials: new Map() };
    this.#makeView = viewsOf(this.capabilities, folder);
    registerDiskSource(this, () => {
      const cell = workspace.present();
      return { ...folder, root: cell.root, record: (read) => void cell.resolve(read) };
    });
  }

  /**
   * Opens a folder: takes its lock, and restores or completes what a process that was killed has left behind.
   * @throws {FilesystemError} `filesystem-locked` while another process, or another part of this one, has the folder open;
   * `path-not-found`, `path-not-directory`, `path-forbidden` for the folder; `argument-invalid`, `pattern-invalid` for an option;
   * `filesystem-storage-failed` when lock or journal cannot be kept, or an interrupted commit cannot be undone.
   */
  static async open(options: HostFilesystemOptions): Promise<HostFilesystem> {
    assertOptions(
      'HostFilesystem.open()',
      options,
      { root: 'string!', include: 'array', exclude: 'array', stateDirectory: 'string' },
      (message, details) => new FilesystemError('argument-invalid', message, details),
    );
    return new HostFilesystem(openWorkspace(options));
  }

  async read(path: string, options?: TextWindowOptions): Promise<TextWindow> {
    return this.#look((operations) => operations.read(path, options));
  }

  async readBytes(path: string): Promise<Uint8Array> {
    return this.#look((operations) => operations.readBytes(path));
  }

  async digest(path: string): Promise<string> {
    return this.#look((operations) => operations.digest(path));
  }

  async write(
    path: string,
    data: string | Uint8Array,
    options: { readonly mode?: WriteMode } = {},
  ): Promise<WriteResult> {
    return this.#change((operations) => operations.write(path, data, options.mode));
  }

  async edit(path: string, edits: readonly TextEdit[]): Promise<EditResult> {
    return this.#change((operations) => operations.edit(path, edits));
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.#look((operations) => operations.stat(path));
  }

  async list(path = '.'): Promise<readonly DirectoryEntry[]> {
    return this.#look((operations) => operations.list(path));
  }

  async glob(pattern: string, options: GlobOptions = {}): Promise<GlobResult> {
    return this.#look((operations) => operations.glob(pattern, options, () => this.#workspace.assertOpen()));
  }

  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.#look((operations) => operations.grep(pattern, options, () => this.#workspace.assertOpen()));
  }

  async mkdir(path: string): Promise<MakeDirectoryResult> {
    return this.#change((operations) => operations.mkdir(path));
  }

  async remove(path: string, options: { readonly recursive?: boolean } = {}): Promise<RemoveResult> {
    return this.#change((operations) => operations.remove(path, options.recursive === true));
  }

  async move(from: string, to: string): Promise<TransferResult> {
    return this.#change((operations) => operations.transfer(from, to, 'move'));
  }

  async copy(from: string, to: string): Promise<TransferResult> {
    return this.#change((operations) => operations.transfer(from, to, 'copy'));
  }

  fork(options: FilesystemForkOptions = {}): HostFilesystemFork {
    const workspace = this.#workspace;
    const seen = workspace.takeSnapshot();
    const { cell, dispose } = workspace.fork(seen, options.readOnly === true);
    const parent = {
      conflicts: (): readonly string[] => workspace.conflicts(cell, seen),
      refusals: (): readonly string[] => workspace.refusals(cell),
      owner: this,
      onDispose: dispose,
    };
    return new TreeFork(cell, undefined, this.#makeView, parent);
  }

  /**
   * The present content. It costs nothing: what this process changes later is kept as it changes it, beside the journal, each
   * content once, until the snapshot is released and collected or the folder is closed. What others change is not
   * kept, and `restore` leaves it unless this process has written to the same files.
   */
  async snapshot(tag?: string): Promise<FilesystemSnapshot> {
    const { root } = this.#workspace.takeSnapshot();
    this.#workspace.retain(root);
    return this.#workspace.cellShowing(root).snapshot(tag);
  }

  async restore(snapshot: FilesystemSnapshot): Promise<void> {
    this.#workspace.restore((cell) => cell.restore(snapshot));
  }

  /**
   * The net difference between a snapshot and the present content, sorted by path: what this process has changed, and what others
   * have changed meanwhile where it did, or where somebody had looked in the snapshot. The `before` of a change that
   * somebody else has replaced cannot be read any more (`file-changed-on-disk`).
   * @throws {SnapshotError} `snapshot-released`.
   */
  changesSince(snapshot: FilesystemSnapshot): readonly FileChange[] {
    return this.#workspace.present().changesSince(snapshot);
  }

  /**
   * What is no ordinary file that can be read, with the reasons that a mount gives: links (`symlink`; what they lead to within the
   * folder is reached through them), links that lead out or nowhere (`symlink-outside`), fifos, sockets and devices
   * (`special-file`), files larger than `maxFileBytes` (`file-too-large`), names that no path can have
   * (`name-not-allowed`). Sorted by path; looks at every entry, but at nothing that is left out.
   */
  listSkipped(): readonly HostMountSkip[] {
    const { limits } = this.#workspace;
    return skippedIn(this.#workspace.present().root, limits.maxFileBytes);
  }

  /**
   * With `writeOn: 'flush'`: the files of which `flush` would overwrite or remove what somebody else has made of them since they were
   * first changed here, sorted by path.
   */
  outsideChanges(): readonly OutsideChange[] {
    return this.#workspace.pendingConflicts();
  }

  /**
   * With `writeOn: 'flush'`: brings everything that was applied since the last time to the disk, in one commit, all or none.
   * @throws {FilesystemError} `file-changed-on-disk` while there are `outsideChanges()`; `path-forbidden` for a write-protected file;
   * `filesystem-storage-failed` when the disk is full or fails; `root-replaced` when the folder itself is gone; `filesystem-read-only` with `writeOn: 'never'`. Nothing was written then, and
   * nothing is lost: it can be tried again.
   */
  flush(): void {
    this.#workspace.flush();
  }

  /**
   * Brings the changes of a fork to the disk, all or none; with `writeOn` other than `apply`, to what is kept in memory.
   * @throws {FilesystemError} as `Filesystem.apply`; `file-changed-on-disk` when somebody else has changed what they replace;
   * `path-forbidden` for a write-protected file; `filesystem-storage-failed` when the disk is full or fails.
   */
  apply(patch: FilePatch): void {
    this.#workspace.apply(patch, TreeCell.forkOf(patch, this));
  }

  /** Gives the folder free. What is read or written from then on throws `TransactionClosedError`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#workspace.dispose();
    this.#lock.dispose();
  }

  #look<Result>(act: (operations: HostOperations) => Result): Result {
    const workspace = this.#workspace;
    return act(new HostOperations(workspace.present(), () => undefined, workspace.visible));
  }

  #change<Result>(act: (operations: HostOperations) => Result): Result {
    const { visible } = this.#workspace;
    return this.#workspace.change((cell) => act(new HostOperations(cell, () => undefined, visible)));
  }
}

/** What of a tree is no ordinary file that can be read, sorted by path. What is deeper than paths reach is named, and not entered. */
function skippedIn(root: DirectoryNode, maxFileBytes: number): readonly HostMountSkip[] {
  const found: HostMountSkip[] = [];
  const walk = (directory: DirectoryNode, path: string, depth: number): void => {
    if (directory instanceof DiskDirectory) {
      for (const name of directory.invalidNames) {
        found.push({ path: childPath(path, name), reason: 'name-not-allowed' });
      }
    }
    for (const [name, node] of directory.entries) {
      const at = childPath(path, name);
      const reason = node.kind === 'file' ? reasonOf(node.content, maxFileBytes) : undefined;
      if (depth >= MAX_DEPTH) found.push({ path: at, reason: 'name-not-allowed' });
      else if (reason !== undefined) found.push({ path: at, reason });
      else if (node.kind === 'directory' && node.link !== undefined)
        found.push({ path: at, reason: 'symlink' });
      else if (node.kind === 'directory') walk(node, at, depth + 1);
    }
  };
  walk(root, '.', 0);
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function reasonOf(content: FileContent, maxFileBytes: number): HostMountSkipReason | undefined {
  if (content instanceof RefusedContent) return content.isLink ? 'symlink-outside' : 'special-file';
  if (content instanceof DiskContent && content.isLink) return 'symlink';
  return content.bytes > maxFileBytes ? 'file-too-large' : undefined;
}
