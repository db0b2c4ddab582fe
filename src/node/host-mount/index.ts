export type { HostMountReport, HostMountSkip, HostMountSkipReason, HostMountStop } from './mount-report.ts';
export { defaultExcludes, type HostMountOptions } from './options.ts';
export { type HostMount, readFolder } from './read-host-mount.ts';
