export type { MemoryFile } from './memory-files.ts';
export { type MemorySection, type MemorySectionOptions, memorySection } from './memory-section.ts';
export { createMemoryTool, type MemoryTool, type MemoryToolOptions } from './memory-tool.ts';
