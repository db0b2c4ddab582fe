import { type CodeExecutionWire, codeInterpreterCodec } from './code-interpreter.ts';
import { hostedMcpCodec } from './hosted-mcp.ts';
import { type WebFetchWire, webFetchCodec } from './web-fetch.ts';
import { type AnthropicWebSearchWire, webSearchCodec } from './web-search.ts';

export type { CodeExecutionWire } from './code-interpreter.ts';
export type { DomainLists } from './domain-lists.ts';
export type { McpServerWire, McpToolsetWire } from './hosted-mcp.ts';
export type { WebFetchWire } from './web-fetch.ts';
export type { AnthropicWebSearchWire } from './web-search.ts';

/** A hosted tool in the provider's format, without beta features. */
export type AnthropicHostedWire = AnthropicWebSearchWire | WebFetchWire | CodeExecutionWire;

/**
 * The adapter's codecs for hosted tools by their kinds, for use in codecs of your own. The provider has no file search and no
 * image generation.
 */
export const anthropicHostedToolCodecs: {
  readonly web_search: typeof webSearchCodec;
  readonly web_fetch: typeof webFetchCodec;
  readonly code_interpreter: typeof codeInterpreterCodec;
  readonly mcp: typeof hostedMcpCodec;
} = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  mcp: hostedMcpCodec,
};
