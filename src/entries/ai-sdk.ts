/**
 * An adapter for models of the AI SDK; its tools in prompts, and tools of prompts in its loops.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/ai-sdk
 */

export { type AiSdkOptions, aiSdk } from '../providers/ai-sdk/ai-sdk.ts';
export { aiSdkHostedToolCodecs } from '../providers/ai-sdk/hosted/codecs.ts';
export { FailedToolCallError } from '../providers/ai-sdk/tools/failed-tool-call-error.ts';
export {
  type AiSdkTool,
  type FromAiSdkToolOptions,
  fromAiSdkTool,
} from '../providers/ai-sdk/tools/from-ai-sdk-tool.ts';
export { type AiSdkUsage, fromAiSdkUsage } from '../providers/ai-sdk/tools/from-ai-sdk-usage.ts';
export {
  type AiSdkRuntimeTools,
  type ToAiSdkToolsOptions,
  toAiSdkTools,
} from '../providers/ai-sdk/tools/to-ai-sdk-tools.ts';
export { aiSdkProviderToolCodecs } from '../providers/ai-sdk/typed/codecs.ts';
export { aiSdkDialect } from '../providers/ai-sdk/wire/ai-sdk-dialect.ts';
export type { AiSdkModel } from '../providers/ai-sdk/wire/ai-sdk-model.ts';
