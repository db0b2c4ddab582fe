export {
  ModelResponseError,
  type ModelResponseErrorCode,
  ThrottleError,
  type ThrottleErrorCode,
  type ThrottleErrorOptions,
  type ThrottleKind,
} from '../error/index.ts';
export type {
  GenerateOptions,
  ModelCheck,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelTool,
  ModelTurn,
  RawItems,
} from '../runtime/index.ts';
export {
  type KeptKeyword,
  projectSchema,
  type RequestLimits,
  type SchemaCounts,
  type SchemaDialect,
  type SchemaLimits,
  type SchemaLoss,
  type SchemaProjection,
} from '../schema/index.ts';
export type { HostedToolReading } from '../tool/index.ts';
export { defineAdapter } from './define-adapter.ts';
export type {
  HostedToolCodec,
  HostedToolCodecs,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted/hosted-tool-codec.ts';
export { HostedToolDesk, type HostedToolsWire } from './hosted/hosted-tool-registry.ts';
export type { UnsupportedConfig } from './wire/model-options.ts';
