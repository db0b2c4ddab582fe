import { type Dirent, readdirSync, readlinkSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import {
  childPath,
  type DirectoryNode,
  type FileNode,
  joinPath,
  segmentsOf,
} from '../../../core/filesystem/index.ts';
import { accessOf, type FileAccess, stampOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { FolderFilter } from '../../folder-copy/folder-filter.ts';
import type { DiskSource } from '../../host-filesystem/disk-source.ts';
import { diskError, NoDirectoryError } from '../../host-filesystem/jail/disk-error.ts';
import { DiskContent, RefusedContent } from '../../host-filesystem/tree/disk-content.ts';
import { DiskDirectory } from '../../host-filesystem/tree/disk-directory.ts';
import type { StagingLimits } from './options.ts';
import { oversizeError, tooManyError } from './staging-error.ts';

/** A file to be staged. */
export interface PlannedFile {
  readonly name: string;
  readonly path: string;
  readonly node: FileNode;
  /** Permissions of the file, or of the one that it replaces; undefined for a new file. */
  readonly mode: number | undefined;
  /** True when the folder on disk has exactly this file at this path. */
  readonly isOnDisk: boolean;
}

/** A symbolic link to be staged. It leads to something in the folder. */
export interface PlannedLink {
  readonly name: string;
  readonly path: string;
  /** The target of the link. */
  readonly target: string;
  readonly isOnDisk: boolean;
}

/** A directory to be staged with its content. */
export interface PlannedFolder {
  readonly name: string;
  readonly path: string;
  /** Undefined for a directory that is new. */
  readonly mode: number | undefined;
  readonly isOnDisk: boolean;
  readonly files: readonly PlannedFile[];
  readonly links: readonly PlannedLink[];
  readonly folders: readonly PlannedFolder[];
  /** True when everything in it is on the disk, so that there is nothing to write. */
  readonly isWhole: boolean;
}

/** An entry of the disk that must not be visible in the folder; names need not be UTF-8. */
export interface HiddenName {
  /** The path of its directory. */
  readonly folder: string;
  readonly name: Buffer;
}

/** The planned content of a staged folder that is created from a folder on disk. */
export interface DiskPlan {
  readonly root: PlannedFolder;
  readonly leftOut: readonly string[];
  /** What an overlay has to hide. */
  readonly hidden: readonly HiddenName[];
}

/** What a plan is made with. */
export interface DiskPlanning {
  readonly source: DiskSource;
  readonly filter: Pick<FolderFilter, 'excludes'>;
  readonly limits: StagingLimits;
  readonly signal: AbortSignal | undefined;
  /** For an overlay, files on the disk are not written, and entries that must not be visible are hidden. */
  readonly isOverlay: boolean;
  /** Called with the owner of each entry on the disk. May throw. */
  readonly onOwner: (access: FileAccess) => void;
}

/** The content of one directory on the disk. */
interface LowerFolder {
  readonly access: FileAccess;
  readonly entries: ReadonlyMap<string, Dirent<Buffer>>;
  readonly undecodable: readonly Buffer[];
}

/** Walks what a view of a folder on disk shows, and records all of it as read. */
class DiskPlanner {
  readonly #planning: DiskPlanning;
  readonly #leftOut: string[] = [];
  readonly #hidden: HiddenName[] = [];
  #entries = 0;
  #written = 0;

  constructor(planning: DiskPlanning) {
    this.#planning = planning;
  }

  plan(): DiskPlan {
    const root = this.#folder('', '.', this.#planning.source.root, true);
    return { root, leftOut: this.#leftOut, hidden: this.#hidden };
  }

  #folder(name: string, path: string, node: DirectoryNode, mayBeOnDisk: boolean): PlannedFolder {
    const { source, filter, limits, signal, isOverlay } = this.#planning;
    signal?.throwIfAborted();
    source.record({ kind: 'listing', path });
    const origin = node instanceof DiskDirectory ? node.segments : undefined;
    const isOnDisk = mayBeOnDisk && origin !== undefined && origin.join('/') === segmentsOf(path).join('/');
    if (node instanceof DiskDirectory) {
      for (const hidden of node.listing.invalidNames) this.#leftOut.push(childPath(path, hidden));
    }
    const lower = origin === undefined ? undefined : this.#lower(origin, isOverlay && isOnDisk);
    const entries = [...node.entries].filter(([child]) => !filter.excludes(childPath(path, child)));
    this.#entries += entries.length;
    if (this.#entries > limits.maxEntries) {
      throw tooManyError(`${limits.maxEntries} files and directories`, 'maxEntries', path);
    }
    const files: PlannedFile[] = [];
    const links: PlannedLink[] = [];
    const folders: PlannedFolder[] = [];
    const kept = new Set<string>();
    const found = isOnDisk ? lower?.entries : undefined;
    for (const [child, childNode] of entries) {
      const at = childPath(path, child);
      const below = found?.get(child);
      const target = linkTargetOf(childNode);
      let planned: { readonly isOnDisk: boolean } | undefined;
      if (target !== undefined) {
        source.record({ kind: childNode.kind === 'file' ? 'file' : 'tree', path: at });
        const link = this.#link(child, at, target, childNode, below);
        links.push(link);
        planned = link;
      } else if (childNode.kind === 'directory') {
        const folder = this.#folder(
          child,
          at,
          childNode,
          isOnDisk && (!isOverlay || below?.isDirectory() === true),
        );
        folders.push(folder);
        planned = folder;
      } else {
        source.record({ kind: 'file', path: at });
        if (childNode.content instanceof RefusedContent) this.#leftOut.push(at);
        else {
          const file = this.#file(child, at, childNode, below);
          files.push(file);
          planned = file;
        }
      }
      if (planned?.isOnDisk === true) kept.add(child);
    }
    if (isOverlay && isOnDisk) this.#hideOthers(path, lower, kept);
    const isWhole =
      isOnDisk &&
      [...files, ...links].every((entry) => entry.isOnDisk) &&
      folders.every((inner) => inner.isWhole);
    return { name, path, mode: lower?.access.mode, isOnDisk, files, links, folders, isWhole };
  }

  #file(name: string, path: string, node: FileNode, below: Dirent<Buffer> | undefined): PlannedFile {
    const { limits, source, isOverlay, onOwner } = this.#planning;
    const { content } = node;
    const disk = content instanceof DiskContent && content.kept === undefined ? content : undefined;
    if (disk !== undefined) onOwner(disk.access);
    const isOnDisk = disk !== undefined && disk.path === path && (!isOverlay || below?.isFile() === true);
    if (!isOverlay || !isOnDisk) {
      if (content.bytes > limits.maxFileBytes) throw oversizeError(path, content.bytes, limits.maxFileBytes);
      this.#written += content.bytes;
      if (this.#written > limits.maxBytes) throw tooManyError(`${limits.maxBytes} bytes`, 'maxBytes', path);
    }
    const replaced = (): number | undefined => {
      const stats = source.jail.statOf(segmentsOf(path));
      return stats?.isFile() === true ? accessOf(stats).mode : undefined;
    };
    return {
      name,
      path,
      node,
      isOnDisk,
      mode: content instanceof DiskContent ? content.access.mode : (node.mode ?? replaced()),
    };
  }

  #link(
    name: string,
    path: string,
    target: string,
    node: FileNode | DirectoryNode,
    below: Dirent<Buffer> | undefined,
  ): PlannedLink {
    const { jail } = this.#planning.source;
    if (below?.isSymbolicLink() === true) {
      const segments = segmentsOf(path);
      const stats = this.#reading(path, () => jail.statOf(segments));
      const stamp = node.kind === 'file' ? node.stamp : node.link?.stamp;
      // The first part of a link's stamp is that of the link itself.
      if (stats !== undefined && stampOf(stats) === stamp?.split('>')[0]) {
        const text = this.#reading(path, () =>
          jail.within(segments.slice(0, -1), (pathOf) => readlinkSync(pathOf(name))),
        );
        return { name, path, target: text, isOnDisk: true };
      }
    }
    const text = posix.relative(`/${posix.dirname(path)}`, `/${target}`);
    return { name, path, target: text === '' ? '.' : text, isOnDisk: false };
  }

  #lower(segments: readonly string[], isListed: boolean): LowerFolder {
    const { source, onOwner } = this.#planning;
    return this.#reading(joinPath(segments), () =>
      source.jail.within(segments, (pathOf) => {
        const access = accessOf(statSync(pathOf(), { bigint: true }));
        onOwner(access);
        const entries = new Map<string, Dirent<Buffer>>();
        const undecodable: Buffer[] = [];
        for (const entry of isListed
          ? readdirSync(pathOf(), { withFileTypes: true, encoding: 'buffer' })
          : []) {
          const name = entry.name.toString();
          if (Buffer.from(name).equals(entry.name)) entries.set(name, entry);
          else undecodable.push(entry.name);
        }
        return { access, entries, undecodable };
      }),
    );
  }

  /** An entry that disappears while it is read counts as changed on the disk. */
  #reading<Value>(path: string, look: () => Value): Value {
    try {
      return look();
    } catch (error) {
      throw errorCode(error) === undefined && !(error instanceof NoDirectoryError)
        ? error
        : diskError(path, error);
    }
  }

  #hideOthers(folder: string, lower: LowerFolder | undefined, kept: ReadonlySet<string>): void {
    for (const name of lower?.undecodable ?? []) this.#hidden.push({ folder, name });
    for (const name of lower?.entries.keys() ?? []) {
      if (!kept.has(name)) this.#hidden.push({ folder, name: Buffer.from(name) });
    }
  }
}

/** The target path of a link on disk. */
function linkTargetOf(node: FileNode | DirectoryNode): string | undefined {
  if (node.kind === 'directory') return node.link?.target;
  return node.content instanceof DiskContent && node.content.isLink ? node.content.path : undefined;
}

/**
 * Plans a staged folder for what a view of a folder on disk shows. The view depends on all of it from then on.
 * @throws {FilesystemError} when a limit is exceeded; the signal's reason; what `onOwner` throws.
 */
export function planDisk(planning: DiskPlanning): DiskPlan {
  return new DiskPlanner(planning).plan();
}
