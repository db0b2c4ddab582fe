export { directoryBlobs } from './directory-blobs/directory-blobs.ts';
export { isBelow } from './disk/host-directory.ts';
export type { FolderSkip } from './folder-copy/copy-report.ts';
export { defaultExcludes } from './folder-copy/options.ts';
export { readFolder } from './folder-copy/read-folder.ts';
export { gitSection } from './git/git-section.ts';
export type { PendingCommit } from './host-filesystem/commit/pending-commits.ts';
export type { InterruptedCommit } from './host-filesystem/commit/recover.ts';
export {
  type HostFilesystem,
  HostFilesystem as HostFilesystemClass,
  openHostFilesystem,
} from './host-filesystem/host-filesystem.ts';
export { openLeasedWorkspace } from './host-filesystem/open-workspace.ts';
export { isAlive, presentProcess, userStateFolder } from './lock/index.ts';
export { LocalOverridesStore } from './overrides/local-overrides-store.ts';
export { Child, type ChildEnd } from './process/child.ts';
export { type ProcessEnd, startProcess } from './process/start-process.ts';
export { type FileRunRecorder, openRunRecorder } from './record-file/open-run-recorder.ts';
export { type CallConflicts, pathIn } from './run-workspace/call-conflicts.ts';
export { type HostWorkspace, openHostWorkspace } from './run-workspace/open-workspace.ts';
export { readSkillFolder } from './skill-folder/read-skill-folder.ts';
export { openStagedFolder } from './staged-folder/open-staged-folder.ts';
export type { StagedFolder } from './staged-folder/staged-folder.ts';
export { openPrivateFolder } from './staged-folder/staging/private-folder.ts';
export { type StagingSupport, stagingSupport } from './staged-folder/staging-support.ts';
