export { type HostMount, hostMount } from './host-mount.ts';
export { type MountedFolder, mountFolder } from './mount-folder.ts';
export { DEFAULT_MOUNT_EXCLUDES, type HostMountOptions, type MountOptions } from './options.ts';
export type { MountReport, MountSkip, MountSkipReason, MountStop } from './report.ts';
