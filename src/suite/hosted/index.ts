export {
  type CodeInterpreterConfig,
  type CodeInterpreterFile,
  type CodeInterpreterNetwork,
  type CodeInterpreterResult,
  codeInterpreterTool,
} from './code-interpreter.ts';
export type { HostedToolOptions } from './config-check.ts';
export type { DomainFilter } from './domain-filter.ts';
export {
  type FileSearchConfig,
  type FileSearchHit,
  type FileSearchResult,
  fileSearchTool,
} from './file-search.ts';
export type { GeoHint } from './geo-hint.ts';
export { type HostedMcpConfig, type HostedMcpResult, hostedMcpTool } from './hosted-mcp.ts';
export {
  type ImageGenerationConfig,
  type ImageGenerationResult,
  imageGenerationTool,
} from './image-generation.ts';
export { type WebFetchConfig, type WebFetchResult, webFetchTool } from './web-fetch.ts';
export {
  type WebSearchConfig,
  type WebSearchResult,
  type WebSearchSource,
  webSearchTool,
} from './web-search.ts';
export {
  type WebSearchSection,
  type WebSearchSectionOptions,
  webSearchSection,
} from './web-search-section.ts';
