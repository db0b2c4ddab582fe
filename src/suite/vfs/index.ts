export type { VfsAttachmentKind } from './attachment.ts';
export type { VfsLimits } from './limits.ts';
export { createVfsTools, type VfsToolName, type VfsToolsOptions, vfsToolNames } from './vfs-tools.ts';
export { type VfsToolsSectionOptions, vfsToolsSection } from './vfs-tools-section.ts';
export type { VfsFiles, VfsMount, VfsWorkspaceOptions } from './workspace.ts';
