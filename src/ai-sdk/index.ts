export { type AiSdkOptions, aiSdk } from './ai-sdk.ts';
export { aiSdkDialect } from './ai-sdk-dialect.ts';
export type { AiSdkModel, AiSdkModelOf, AiSdkStream, AiSdkStreamReader } from './ai-sdk-model.ts';
export type { AiSdkCallOptions, AiSdkVersion } from './call-options.ts';
export { FailedToolCallError } from './failed-tool-call-error.ts';
export {
  type AiSdkExecuteOptions,
  type AiSdkTool,
  type FromAiSdkToolOptions,
  fromAiSdkTool,
} from './from-ai-sdk-tool.ts';
export { type AiSdkUsage, fromAiSdkUsage } from './from-ai-sdk-usage.ts';
export { aiSdkHostedToolCodecs } from './hosted/index.ts';
export {
  type AiSdkRuntimeTool,
  type AiSdkRuntimeTools,
  type AiSdkToolOutput,
  type ToAiSdkToolsOptions,
  toAiSdkTools,
} from './to-ai-sdk-tools.ts';
