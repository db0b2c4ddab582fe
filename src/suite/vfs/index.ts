export { type VfsToolsSectionOptions, vfsToolsSection } from './vfs-tools-section.ts';
