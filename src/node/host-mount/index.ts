export type { HostMountReport, HostMountSkip, HostMountSkipReason, HostMountStop } from './mount-report.ts';
export { defaultExcludes, type ReadFolderOptions } from './options.ts';
export { type FolderCopy, readFolder } from './read-host-mount.ts';
