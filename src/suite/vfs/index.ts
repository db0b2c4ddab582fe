export { createApplyPatchTool } from './apply-patch.ts';
export { type VfsToolsSectionOptions, vfsToolsSection } from './vfs-tools-section.ts';
