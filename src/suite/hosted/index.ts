export {
  type CodeFile,
  type CodeInterpreterConfig,
  type CodeInterpreterResult,
  type CodeNetwork,
  codeInterpreterTool,
} from './code-interpreter.ts';
export type { HostedToolTexts } from './config-check.ts';
export type { DomainFilter } from './domain-filter.ts';
export {
  type FileSearchConfig,
  type FileSearchHit,
  type FileSearchResult,
  fileSearchTool,
} from './file-search.ts';
export type { GeoHint } from './geo-hint.ts';
export {
  type ImageGenerationConfig,
  type ImageGenerationResult,
  imageGenerationTool,
} from './image-generation.ts';
export { type RemoteMcpConfig, type RemoteMcpResult, remoteMcpTool } from './remote-mcp.ts';
export { type WebFetchConfig, type WebFetchResult, webFetchTool } from './web-fetch.ts';
export { type WebSearchConfig, type WebSearchResult, type WebSource, webSearchTool } from './web-search.ts';
export {
  type WebSearchSection,
  type WebSearchSectionOptions,
  webSearchSection,
} from './web-search-section.ts';
