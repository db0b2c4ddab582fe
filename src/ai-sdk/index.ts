export { type AiSdkOptions, aiSdk } from './ai-sdk.ts';
export { aiSdkHostedToolCodecs } from './hosted/codecs.ts';
export { FailedToolCallError } from './tools/failed-tool-call-error.ts';
export {
  type AiSdkTool,
  type FromAiSdkToolOptions,
  fromAiSdkTool,
} from './tools/from-ai-sdk-tool.ts';
export { type AiSdkUsage, fromAiSdkUsage } from './tools/from-ai-sdk-usage.ts';
export { type AiSdkRuntimeTools, type ToAiSdkToolsOptions, toAiSdkTools } from './tools/to-ai-sdk-tools.ts';
export { aiSdkDialect } from './wire/ai-sdk-dialect.ts';
export type { AiSdkModel } from './wire/ai-sdk-model.ts';
