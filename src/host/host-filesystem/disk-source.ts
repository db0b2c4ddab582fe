import type { DirectoryNode, Filesystem, TreeCell } from '../../core/filesystem/index.ts';
import type { HostJail } from './jail/jail.ts';
import type { VisiblePaths } from './tree/visible-paths.ts';

/** A folder on disk, shared by all views of it. */
export interface DiskFolder {
  readonly jail: HostJail;
  /** The visible paths; undefined: all. */
  readonly visible: VisiblePaths | undefined;
  /** Whether Git directories can be written. */
  readonly allowsGitWrites: boolean;
  /** The results of trying an overlay on the folder, by the device of the layers: why it failed, or undefined. */
  readonly overlayTrials: Map<number, Promise<Error | undefined>>;
}

/** A folder on disk as one view sees it: everything that the view has not changed is on the disk. */
export interface DiskSource extends DiskFolder {
  /** The present content of the view. */
  readonly root: DirectoryNode;
  /** Records a read on which the view depends. */
  readonly record: (...read: Parameters<TreeCell['resolve']>) => void;
}

/** The property of this library's file systems that {@link diskSourceOf} reads. */
const diskSource = Symbol('weakincentives.diskSource');

/** Registers the files of a view as files on disk. @param open may throw when the view is closed. */
export function registerDiskSource(filesystem: Filesystem, open: () => DiskSource): void {
  Object.defineProperty(filesystem, diskSource, { value: open });
}

/** A function that returns the present state of a view of a folder on disk; undefined for any other file system. */
export function diskSourceOf(filesystem: Filesystem): (() => DiskSource) | undefined {
  // Only registerDiskSource() sets the property: the symbol is not exported.
  const found: unknown = Object.getOwnPropertyDescriptor(filesystem, diskSource)?.value;
  return found as (() => DiskSource) | undefined;
}
