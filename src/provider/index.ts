export {
  ModelResponseError,
  type ModelResponseErrorCode,
  ThrottleError,
  type ThrottleErrorCode,
  type ThrottleErrorOptions,
  type ThrottleKind,
} from '../error/index.ts';
export type {
  LanguageModel,
  ModelCallOptions,
  ModelCheck,
  ModelDelta,
  ModelRequest,
  ModelTool,
  ModelTurn,
  RawItems,
} from '../runtime/index.ts';
export {
  projectSchema,
  type SchemaDialect,
  type SchemaKeyword,
  type SchemaLimits,
  type SchemaProjection,
} from '../schema/index.ts';
export type { HostedToolReading } from '../tool/index.ts';
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
} from './harness/agent-harness.ts';
export { harnessAdapter } from './harness/harness-adapter.ts';
export type {
  HostedToolCodec,
  HostedToolCodecTable,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted/hosted-tool-codec.ts';
export { type HostedRequestWire, HostedToolRegistry } from './hosted/hosted-tool-registry.ts';
export { providerAdapter } from './provider-adapter.ts';
export { ToolSchemas } from './schema/tool-schemas.ts';
export type { UnsupportedConfig } from './wire/model-options.ts';
export { type ProviderErrorOptions, toProviderError } from './wire/provider-error.ts';
