/**
 * An adapter for OpenAI and servers with its Responses API.
 *
 * Runs in any runtime; needs the package `openai`.
 *
 * @module weakincentives/openai
 */

export type { OpenAILifetime } from '../providers/kit/caching/openai-caching.ts';
export { openaiHostedToolCodecs } from '../providers/openai/hosted/codecs.ts';
export { type OpenAIOptions, openai } from '../providers/openai/openai.ts';
export type { OpenAISettings } from '../providers/openai/request/request-settings.ts';
export {
  type OpenAIAgentsOutput,
  type OpenAIAgentsParameters,
  type OpenAIAgentsTool,
  toOpenAIAgentsTools,
} from '../providers/openai/tools/to-openai-agents-tools.ts';
export {
  type OpenAICallOutput,
  type OpenAIOutputItem,
  runOpenAICalls,
  toOpenAITools,
} from '../providers/openai/tools/to-openai-tools.ts';
export { openaiProviderToolCodecs } from '../providers/openai/typed/codecs.ts';
export type {
  OpenAIClient,
  OpenAIClientOptions,
  OpenAIRequestOptions,
} from '../providers/openai/wire/client.ts';
export { openaiDialect } from '../providers/openai/wire/openai-dialect.ts';
export type {
  OpenAIFunctionTool,
  OpenAIRequest,
  OpenAITypedTool,
} from '../providers/openai/wire/wire.ts';
