/**
 * Parts for an adapter of your own.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/provider
 */

export {
  ModelResponseError,
  type ModelResponseErrorCode,
  ThrottleError,
  type ThrottleErrorCode,
  type ThrottleErrorOptions,
  type ThrottleKind,
} from '../core/error/index.ts';
export type {
  DeferredSection,
  LanguageModel,
  ModelCallOptions,
  ModelCheck,
  ModelDelta,
  ModelRequest,
  ModelTool,
  ModelTurn,
  RawItems,
} from '../core/runtime/index.ts';
export {
  projectSchema,
  type SchemaDialect,
  type SchemaKeyword,
  type SchemaLimits,
  type SchemaProjection,
} from '../core/schema/index.ts';
export type { HostedToolReading } from '../core/tool/index.ts';
export type {
  AgentHarness,
  HarnessAnswer,
  HarnessCapabilities,
  HarnessCheck,
  HarnessFiles,
  HarnessOutcome,
  HarnessRequest,
  HarnessRunOptions,
  HarnessTools,
} from '../harness/kit/agent-harness.ts';
export { harnessAdapter } from '../harness/kit/harness-adapter.ts';
export { fallbackAdapter } from '../providers/kit/fallback-adapter.ts';
export type {
  HostedToolCodec,
  HostedToolCodecTable,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from '../providers/kit/hosted/hosted-tool-codec.ts';
export type { UnsupportedConfig } from '../providers/kit/hosted/hosted-tool-registry.ts';
export { type HostedRequestWire, HostedToolRegistry } from '../providers/kit/hosted/hosted-tool-registry.ts';
export { providerAdapter } from '../providers/kit/provider-adapter.ts';
export { ToolSchemas } from '../providers/kit/schema/tool-schemas.ts';
export type {
  ChoicePurpose,
  ProviderCall,
  ProviderCallContext,
  ProviderToolCodec,
  ProviderToolCodecTable,
} from '../providers/kit/typed/provider-tool-codec.ts';
export { type ProviderErrorOptions, toProviderError } from '../providers/kit/wire/provider-error.ts';
