export type { PendingCommit } from './commit/pending-commits.ts';
export type { InterruptedCommit } from './commit/recover.ts';
export { type HostFilesystem, openHostFilesystem } from './host-filesystem.ts';
export type { HostFilesystemFork, HostView } from './host-view.ts';
export type { HostFilesystemOptions } from './options.ts';
export type { OutsideChange } from './workspace/outside-changes.ts';
