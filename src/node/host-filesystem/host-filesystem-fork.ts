import type { TreeFork, TreeView } from '../../filesystem/index.ts';

/** The files of a folder of the disk as one fork sees them. */
export type HostView = TreeView;

/** A fork of a folder of the disk: nothing that is written in it is on the disk before it is applied. */
export type HostFilesystemFork = TreeFork;
