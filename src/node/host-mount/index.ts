export { type HostMount, type MountedFolder, mountFolder, readHostMount } from './host-mount.ts';
export { defaultMountExcludes, type HostMountOptions, type MountOptions } from './options.ts';
export type { HostMountReport, HostMountSkip, HostMountSkipReason, HostMountStop } from './report.ts';
