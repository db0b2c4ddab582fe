import { FilesystemError } from '../../core/error/index.ts';
import {
  childPath,
  type FileLink,
  FileOperations,
  type FileStat,
  fileLinkOf,
  isWriteProtected,
  nodeAt,
  normalizePath,
  type PathRules,
  pathError,
  resolvePath,
  segmentsOf,
  statPath,
  type TreeCell,
  type TreeNode,
} from '../../core/filesystem/index.ts';
import { quoteText } from '../../core/internal/index.ts';
import {
  assertListable,
  assertNothingExcluded,
  assertRestorable,
  hasUnlistedNames,
} from './commit/restorable.ts';
import type { DiskFolder } from './disk-source.ts';
import { writeProtectedError } from './jail/disk-error.ts';
import { isInGitDirectory, isTemporaryName } from './jail/jail.ts';
import { DiskContent, RefusedContent } from './tree/disk-content.ts';
import { DiskDirectory, inspectFilesOf } from './tree/disk-directory.ts';
import type { PathKind, VisiblePaths } from './tree/visible-paths.ts';

const maxLinks = 40;

/** The operations on the files of a folder on disk: those of any tree, with links followed and special files refused. */
export function hostOperations(
  cell: TreeCell,
  rules: Partial<Pick<DiskFolder, 'visible' | 'allowsGitWrites'>> = {},
): FileOperations {
  return new FileOperations(cell, new HostPaths(cell, rules));
}

/** What paths mean in a folder on disk. */
export class HostPaths implements PathRules {
  readonly #cell: TreeCell;
  readonly #visible: VisiblePaths | undefined;
  readonly #allowsGitWrites: boolean;

  /** @param rules which paths are visible, and whether Git directories can be written. Default: all, and no. */
  constructor(cell: TreeCell, rules: Partial<Pick<DiskFolder, 'visible' | 'allowsGitWrites'>> = {}) {
    this.#cell = cell;
    this.#visible = rules.visible;
    this.#allowsGitWrites = rules.allowsGitWrites ?? false;
  }

  readable(given: string): string {
    const path = this.#resolve(given, true);
    this.#assertReadable(path);
    return path;
  }

  writable(given: string, readsContent: boolean): string {
    const path = this.#assertChangeable(this.#resolve(given, true, 'file'));
    const node = nodeAt(this.#cell.root, path);
    if (node?.kind === 'file' && node.content instanceof RefusedContent) {
      this.#cell.resolve({ kind: 'file', path });
      node.content.assertReadable();
    }
    if (node?.kind === 'file' && isWriteProtected(node.mode)) {
      this.#cell.resolve({ kind: 'file', path });
      throw writeProtectedError(path, node.mode);
    }
    if (readsContent) this.#assertReadable(path);
    return path;
  }

  /** A directory that can be listed; directories below it that cannot are skipped. */
  listable(given: string): string {
    const path = this.#resolve(given, true);
    const node = nodeAt(this.#cell.root, path);
    if (node instanceof DiskDirectory && node.listing.refusal !== undefined) throw node.listing.refusal;
    if (node?.kind === 'file' && node.link !== undefined) this.#assertReadable(path);
    return path;
  }

  directory(given: string): string {
    return this.#assertChangeable(this.#resolve(given, true, 'directory'));
  }

  stat(given: string): FileStat | undefined {
    const path = this.#pathOf(given, true);
    const found = this.#visible?.reaches(path) === false ? undefined : statPath(this.#cell, path);
    if (found === undefined || path === normalizePath(given)) return found;
    const named = nodeAt(this.#cell.root, this.#pathOf(given, false));
    const link = named === undefined ? undefined : fileLinkOf(named);
    return link === undefined ? found : { ...found, link };
  }

  /** A link itself is removed, not its target. */
  removable(given: string, recursive: boolean): string {
    const path = this.#assertChangeable(this.#resolve(given, false));
    const node = nodeAt(this.#cell.root, path);
    if (!recursive && node instanceof DiskDirectory && node.listing.unlistedNames.length > 0) {
      throw new FilesystemError(
        'directory-not-empty',
        `The directory ${quoteText(path)} contains files whose names are not valid in a path. It is not removed.`,
        { details: { path } },
      );
    }
    if (recursive || this.#visible !== undefined) this.#assertWhole(path, node);
    if (node !== undefined && path !== '.' && (recursive || node.kind === 'file'))
      assertRestorable(path, node);
    else if (node instanceof DiskDirectory && node.listing.refusal !== undefined) throw node.listing.refusal;
    return path;
  }

  /** A link itself is moved, but the target of a link is copied. */
  transferable(
    givenFrom: string,
    givenTo: string,
    action: 'move' | 'copy',
  ): readonly [from: string, to: string] {
    const from = this.#resolve(givenFrom, action === 'copy');
    const to = this.#assertChangeable(this.#resolve(givenTo, false));
    if (action === 'move') this.#assertChangeable(from);
    if (action === 'copy' && from !== '.') {
      this.#cell.resolve({ kind: 'tree', path: from });
      const copied = nodeAt(this.#cell.root, from);
      inspectFilesOf(copied);
      assertCopyable(copied);
      if (copied !== undefined) assertRestorable(from, copied);
    }
    const node = from === '.' ? undefined : nodeAt(this.#cell.root, from);
    if (action === 'move') this.#assertWhole(from, node);
    if (node !== undefined) this.#visible?.assertTreeReached(to, node);
    if (action === 'move' && node !== undefined) this.#assertFreePlace(to, node);
    return [from, to];
  }

  /** A directory cannot move to the path of a former directory with entries that have no valid path, because the two are merged. */
  #assertFreePlace(to: string, node: TreeNode): void {
    const { base } = this.#cell;
    if (base === undefined || nodeAt(base, to)?.kind !== 'directory' || !hasUnlistedNames(node)) return;
    throw pathError(
      'path-excluded',
      to,
      'was a directory when this call began, so entries whose names are not valid in a path could not be moved there. ' +
        'Move the directory in a later call, or to another path.',
      { details: { directory: to } },
    );
  }

  /** Asserts that removing or moving a whole directory affects only visible entries. */
  #assertWhole(path: string, node: TreeNode | undefined): void {
    if (node === undefined || path === '.') return;
    assertListable(node);
    if (this.#visible !== undefined) assertNothingExcluded(path, node);
  }

  /** Asserts that a path is not in a Git directory that is protected. Links on it were followed. */
  #assertChangeable(path: string): string {
    if (this.#allowsGitWrites || !isInGitDirectory(path)) return path;
    throw pathError(
      'path-excluded',
      path,
      'is in a Git directory, which is not written in this workspace. Use another path.',
    );
  }

  /** Like `#pathOf`, for a visible path. */
  #resolve(given: string, followsLast: boolean, kind?: PathKind): string {
    const path = this.#pathOf(given, followsLast);
    this.#visible?.assertReached(path, kind);
    this.#assertNoLinkOn(path);
    return path;
  }

  /** Throws for a path through a link that is not a directory link, instead of reporting a path below a file. */
  #assertNoLinkOn(path: string): void {
    const found = resolvePath(this.#cell.root, path);
    if (found.kind !== 'blocked') return;
    const node = nodeAt(this.#cell.root, found.at);
    if (node?.kind !== 'file' || node.link === undefined) return;
    this.#cell.resolve({ kind: 'file', path: found.at });
    throw linkOnWayError(path, found.at, node.link);
  }

  /**
   * The path after following links.
   * @param followsLast whether a link at the path itself is followed too.
   */
  #pathOf(given: string, followsLast: boolean): string {
    let path = normalizePath(given);
    for (let links = 0; ; links += 1) {
      const segments = segmentsOf(path);
      if (segments.some(isTemporaryName)) throw temporaryNameError(path);
      const link = this.#cell.linkOn(path, followsLast);
      if (link !== undefined) {
        const at = segmentsOf(link.at).length;
        path = segments.slice(at).reduce(childPath, link.target);
      } else {
        const target = followsLast ? this.#fileLinkAt(path) : undefined;
        if (target === undefined) return path;
        path = target;
      }
      if (links === maxLinks) {
        throw pathError('path-invalid', given, 'leads through too many links. Use another path.');
      }
    }
  }

  #fileLinkAt(path: string): string | undefined {
    const node = nodeAt(this.#cell.root, path);
    if (node?.kind !== 'file' || !(node.content instanceof DiskContent) || !node.content.isLink)
      return undefined;
    this.#cell.resolve({ kind: 'file', path });
    return node.content.path;
  }

  #assertReadable(path: string): void {
    const found = this.#cell.resolve({ kind: 'file', path });
    if (found.kind !== 'node' || found.node.kind !== 'file') return;
    const { content } = found.node;
    if (content instanceof DiskContent || content instanceof RefusedContent) content.assertReadable();
  }
}

/** Asserts that all nodes have content that can be copied. */
function assertCopyable(node: TreeNode | undefined): void {
  if (node?.kind === 'file' && node.content instanceof RefusedContent) node.content.assertReadable();
  else if (node?.kind === 'directory') for (const child of node.entries.values()) assertCopyable(child);
}

const linkEnds: Readonly<Record<FileLink['leads'], string>> = {
  file: 'leads to a file',
  directory: 'leads to a directory',
  other: 'leads to something that is not a directory',
  outside: 'leads out of the workspace',
  nowhere: 'leads nowhere',
};

function linkOnWayError(path: string, at: string, { leads }: FileLink): FilesystemError {
  return new FilesystemError(
    'path-not-directory',
    `${quoteText(at)} is a symbolic link that ${linkEnds[leads]}, so nothing can be at ${quoteText(path)}. Use a path that does not go through it.`,
    { details: { path, file: at, link: leads } },
  );
}

function temporaryNameError(path: string): FilesystemError {
  return pathError(
    'path-invalid',
    path,
    'contains a name that is reserved for files being written. Choose another name.',
  );
}
