export type { VfsAttachmentKind } from './attachment.ts';
export type { EditFileEdit, EditFileParams, EditFileResult } from './edit-file.ts';
export type { GlobOutput, GlobParams } from './glob.ts';
export type { GrepOutput, GrepParams } from './grep.ts';
export type { VfsLimits } from './limits.ts';
export type { LsEntry, LsParams, LsResult } from './ls.ts';
export type { ReadFileParams, ReadFileResult } from './read-file.ts';
export type { RmParams, RmResult } from './rm.ts';
export type { TransferOutput, TransferParams } from './transfer.ts';
export {
  createVfsTools,
  type VfsToolName,
  type VfsTools,
  type VfsToolsOptions,
  vfsToolNames,
  vfsTools,
} from './vfs-tools.ts';
export { type VfsToolsSectionOptions, vfsToolsSection } from './vfs-tools-section.ts';
export type { VfsFiles, VfsMount, VfsWorkspaceOptions } from './workspace.ts';
export type { WriteFileParams, WriteFileResult } from './write-file.ts';
