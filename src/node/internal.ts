export { isBelow } from './disk/host-directory.ts';
export { HostFilesystem as HostFilesystemClass } from './host-filesystem/host-filesystem.ts';
export type { OutsideChange } from './host-filesystem/workspace/outside-changes.ts';
export type { HostMountSkip } from './host-mount/mount-report.ts';
export { isAlive as isProcessAlive, type ProcessIdentity, presentProcess } from './lock/process-identity.ts';
export { userStateFolder } from './lock/state-folder.ts';
export { OutputWindow } from './process/output-window.ts';
export { pathVariable } from './process/path-variable.ts';
export { closeStandardStreams, openStandardStreams } from './process/standard-streams.ts';
export {
  type ProcessEnd,
  type ProcessOptions,
  type StartedProcess,
  startProcess,
} from './process/start-process.ts';
export { temporaryFolderOf } from './staged-folder/staged-folder.ts';
