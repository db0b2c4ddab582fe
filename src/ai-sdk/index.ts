export { FailedToolCallError } from './failed-tool-call-error.ts';
export {
  type AiSdkExecuteOptions,
  type AiSdkTool,
  type FromAiSdkToolOptions,
  fromAiSdkTool,
} from './from-ai-sdk-tool.ts';
export {
  type AiSdkRuntimeTool,
  type AiSdkRuntimeTools,
  type AiSdkToolOutput,
  type ToAiSdkToolsOptions,
  toAiSdkTools,
} from './to-ai-sdk-tools.ts';
