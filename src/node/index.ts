export {
  HostFilesystem,
  type HostFilesystemFork,
  type HostFilesystemOptions,
  type HostView,
  type InterruptedCommit,
  type OutsideChange,
} from './host-filesystem/index.ts';
export {
  DEFAULT_MOUNT_EXCLUDES,
  type HostMount,
  type HostMountOptions,
  hostMount,
  type MountedFolder,
  type MountOptions,
  type MountReport,
  type MountSkip,
  type MountSkipReason,
  type MountStop,
  mountFolder,
} from './host-mount/index.ts';
export {
  type CollectReport,
  type CollectSkip,
  type CollectSkipReason,
  type MaterializeOptions,
  materialize,
  type RunOptions,
  type RunOutcome,
  type SpawnArguments,
  type StagedFolder,
} from './materialize/index.ts';
export { LocalOverridesStore, type LocalOverridesStoreOptions } from './overrides/index.ts';
