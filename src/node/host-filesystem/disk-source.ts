import type { DirectoryNode, Filesystem, TreeCell } from '../../filesystem/index.ts';
import type { HostJail } from './jail/jail.ts';
import type { VisiblePaths } from './tree/visible-paths.ts';

/** A folder of the disk, the same for all views of it. */
export interface DiskFolder {
  readonly jail: HostJail;
  /** Paths that are shown; undefined: all. */
  readonly visible: VisiblePaths | undefined;
  /** What trying an overlay on the folder came to, by the disk that the layers lie on: why there can be none, or undefined. */
  readonly overlayTrials: Map<number, Promise<Error | undefined>>;
}

/** A folder of the disk as one view of it sees it: whatever the view has not changed is on the disk. */
export interface DiskSource extends DiskFolder {
  /** The present content of the view. */
  readonly root: DirectoryNode;
  /** Records that the view depends on what it sees there. */
  readonly record: (...read: Parameters<TreeCell['resolve']>) => void;
}

/** The property of our own file systems that holds what {@link diskSourceOf} gives. */
const diskSource = Symbol('weakincentives.diskSource');

/** Makes the files of a view known as files of the disk. @param open may throw when the view is closed. */
export function registerDiskSource(filesystem: Filesystem, open: () => DiskSource): void {
  Object.defineProperty(filesystem, diskSource, { value: open });
}

/** What asks a view of a folder of the disk for its present state; undefined for every other file system. */
export function diskSourceOf(filesystem: Filesystem): (() => DiskSource) | undefined {
  // Only registerDiskSource() sets the property: the symbol leaves this file nowhere.
  const found: unknown = Object.getOwnPropertyDescriptor(filesystem, diskSource)?.value;
  return found as (() => DiskSource) | undefined;
}
