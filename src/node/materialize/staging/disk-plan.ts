import type { FileNode } from '../../../filesystem/index.ts';

/** A file to be staged. */
export interface PlannedFile {
  readonly name: string;
  readonly path: string;
  readonly node: FileNode;
  /** Permissions of the file, or of the one that it replaces; undefined for a new file. */
  readonly mode: number | undefined;
  /** True when the folder of the disk has this very file at this path. */
  readonly isOnDisk: boolean;
}

/** A symbolic link to be staged. It leads to something in the folder. */
export interface PlannedLink {
  readonly name: string;
  readonly path: string;
  /** What the link says. */
  readonly target: string;
  readonly isOnDisk: boolean;
}

/** A directory to be staged with what it holds. */
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

/** Something of the disk that is not to be seen in the folder; names may be no UTF-8. */
export interface HiddenName {
  /** Path of the directory that it stands in. */
  readonly folder: string;
  readonly name: Buffer;
}

/** What a folder shall hold that is made from a folder of the disk. */
export interface DiskPlan {
  readonly root: PlannedFolder;
  readonly leftOut: readonly string[];
  /** What an overlay has to hide. */
  readonly hidden: readonly HiddenName[];
}
