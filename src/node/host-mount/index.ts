export type { HostMountReport, HostMountSkip, HostMountSkipReason, HostMountStop } from './mount-report.ts';
export { defaultMountExcludes, type HostMountOptions, type MountOptions } from './options.ts';
export { type HostMount, type MountedFolder, mountFolder, readHostMount } from './read-host-mount.ts';
