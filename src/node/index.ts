export { type GitLimits, type GitSectionOptions, type GitToolName, gitSection } from './git/index.ts';
export {
  type HostFilesystem,
  type HostFilesystemOptions,
  type InterruptedCommit,
  openHostFilesystem,
  type PendingCommit,
} from './host-filesystem/index.ts';
export { defaultExcludes, type FolderCopy, type ReadFolderOptions, readFolder } from './host-mount/index.ts';
export { LocalOverridesStore, type LocalOverridesStoreOptions } from './overrides/index.ts';
export type {
  StagedCommandArguments,
  StagedCommandOptions,
  StagedCommandOutcome,
} from './process/run-options.ts';
export {
  type FileRunRecorder,
  type OpenRunRecorderOptions,
  openRunRecorder,
} from './record/open-run-recorder.ts';
export {
  openStagedFolder,
  type StagedFolder,
  type StagedFolderOptions,
  type StagedFolderReport,
} from './staged-folder/index.ts';
