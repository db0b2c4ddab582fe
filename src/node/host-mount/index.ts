export type { HostMountReport, HostMountSkip, HostMountSkipReason, HostMountStop } from './mount-report.ts';
export { defaultMountExcludes, type HostMountOptions } from './options.ts';
export { type HostMount, readHostMount } from './read-host-mount.ts';
