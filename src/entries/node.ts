/**
 * Host folders: transactional, copied, or staged for external processes; a store for prompt overrides; skills of a folder.
 *
 * Runs in Node.
 *
 * @module weakincentives/node
 */

export { type DirectoryBlobsOptions, directoryBlobs } from '../host/directory-blobs/directory-blobs.ts';
export { defaultExcludes, type ReadFolderOptions } from '../host/folder-copy/options.ts';
export { type FolderCopy, readFolder } from '../host/folder-copy/read-folder.ts';
export type { GitLimits } from '../host/git/git-limits.ts';
export { type GitSectionOptions, type GitToolName, gitSection } from '../host/git/git-section.ts';
export type { PendingCommit } from '../host/host-filesystem/commit/pending-commits.ts';
export type { InterruptedCommit } from '../host/host-filesystem/commit/recover.ts';
export { type HostFilesystem, openHostFilesystem } from '../host/host-filesystem/host-filesystem.ts';
export type { HostFilesystemOptions } from '../host/host-filesystem/options.ts';
export {
  LocalOverridesStore,
  type LocalOverridesStoreOptions,
} from '../host/overrides/local-overrides-store.ts';
export type {
  StagedCommandArguments,
  StagedCommandOptions,
  StagedCommandOutcome,
} from '../host/process/run-options.ts';
export {
  type FileRunRecorder,
  type OpenRunRecorderOptions,
  openRunRecorder,
} from '../host/record-file/open-run-recorder.ts';
export { openWorkspace } from '../host/run-workspace/open-workspace.ts';
export {
  type ReadSkillFolderOptions,
  readSkillFolder,
} from '../host/skill-folder/read-skill-folder.ts';
export type { StagedFolderReport } from '../host/staged-folder/collect/collect-report.ts';
export { openStagedFolder } from '../host/staged-folder/open-staged-folder.ts';
export type { StagedFolder } from '../host/staged-folder/staged-folder.ts';
export type { StagedFolderOptions } from '../host/staged-folder/staging/options.ts';
