export { HostFilesystem } from './host-filesystem.ts';
export type { HostFilesystemFork, HostView } from './host-filesystem-fork.ts';
export type { HostFilesystemOptions } from './options.ts';
export type { OutsideChange } from './outside-changes.ts';
export type { InterruptedCommit } from './recover.ts';
