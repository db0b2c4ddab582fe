export type { OpenAIClient, OpenAIClientOptions, OpenAIRequestOptions } from './client.ts';
export { type OpenAIModelOptions, type OpenAIOptions, openai } from './openai.ts';
export { openaiDialect } from './openai-dialect.ts';
export type { OpenAISettings } from './request-settings.ts';
export {
  type FunctionCallOutput,
  type ResponseOutputItem,
  runOpenAICalls,
  toOpenAITools,
} from './to-openai-tools.ts';
export type {
  AnswerFormat,
  FunctionTool,
  IncludedData,
  InputContent,
  InputItem,
  ResponsesRequest,
  WireToolChoice,
} from './wire.ts';
