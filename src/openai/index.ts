export { openaiHostedToolCodecs } from './hosted/codecs.ts';
export { type OpenAIOptions, openai } from './openai.ts';
export type { OpenAISettings } from './request/request-settings.ts';
export {
  type OpenAIAgentsOutput,
  type OpenAIAgentsParameters,
  type OpenAIAgentsTool,
  toOpenAIAgentsTools,
} from './tools/to-openai-agents-tools.ts';
export {
  type OpenAICallOutput,
  type OpenAIOutputItem,
  runOpenAICalls,
  toOpenAITools,
} from './tools/to-openai-tools.ts';
export type { OpenAIClient, OpenAIClientOptions, OpenAIRequestOptions } from './wire/client.ts';
export { openaiDialect } from './wire/openai-dialect.ts';
export type {
  OpenAIFunctionTool,
  OpenAIRequest,
} from './wire/wire.ts';
