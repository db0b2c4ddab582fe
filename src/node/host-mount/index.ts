export { type HostMount, hostMount, type MountedFolder, mountFolder } from './host-mount.ts';
export { DEFAULT_MOUNT_EXCLUDES, type HostMountOptions, type MountOptions } from './options.ts';
export type { MountReport, MountSkip, MountSkipReason, MountStop } from './report.ts';
