export { type AnthropicModelOptions, type AnthropicOptions, anthropic } from './anthropic.ts';
export { anthropicDialect } from './anthropic-dialect.ts';
export type { AnthropicClient, AnthropicClientOptions, AnthropicRequestOptions } from './client.ts';
export {
  anthropicHostedToolCodecs,
  type CodeExecutionWire,
  type DomainLists,
  type HostedWire,
  type McpServerWire,
  type McpToolsetWire,
  type WebFetchWire,
  type WebSearchWire,
} from './hosted/codecs.ts';
export type { AnthropicSettings } from './request-settings.ts';
export type {
  AnthropicRequest,
  AssistantBlock,
  Cacheable,
  CacheControl,
  DocumentBlock,
  FunctionTool,
  ImageBlock,
  ImageType,
  InputBlock,
  Message,
  OutputConfig,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  WireToolChoice,
} from './wire.ts';
