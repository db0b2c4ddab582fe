export type { PromptResponse } from '../tool/index.ts';
export type {
  Agent,
  AgentModel,
  AgentModelRequest,
  AgentOptions,
  AgentParams,
  AgentSurroundings,
  AgentWorkspace,
  AnyAgent,
  AnyPromptTemplate,
} from './agent.ts';
export { defineAgent } from './define-agent.ts';
export type { EvaluateOptions } from './evaluate-options.ts';
export { evaluationSlices } from './evaluation-slices.ts';
export {
  type HostedToolCodec,
  type HostedToolCodecs,
  HostedToolDesk,
  type HostedToolFindings,
  type HostedToolsWire,
  type HostedToolWire,
  type HostedTurn,
  refuseHostedChoice,
  type UnsupportedConfig,
} from './hosted/index.ts';
export type { PromptStream, StreamEvent } from './prompt-stream.ts';
export { defineAdapter, type ProviderAdapter } from './provider-adapter.ts';
export {
  type Script,
  type ScriptedModelOptions,
  type ScriptedToolCall,
  type ScriptedTurn,
  scriptedModel,
} from './scripted-model.ts';
export { toolRuntime } from './tool-runtime.ts';
export type {
  ReportedUsage,
  RuntimeCallOptions,
  RuntimeToolCall,
  ToolCallOutput,
  ToolRuntime,
  ToolRuntimeOptions,
} from './tool-runtime-types.ts';
export {
  annotatedCitations,
  type CallIdForm,
  type Cited,
  checkModelOptions,
  DistinctCallIds,
  describeRemoteFailure,
  type Fields,
  ForeignCallIds,
  failureReason,
  isEventStream,
  isFields,
  isWebUrl,
  lazyClient,
  nineCharacterCallIds,
  objectsIn,
  onlyTexts,
  type ProjectedRequest,
  type ProjectedTool,
  type ProviderErrorWords,
  parseJsonText,
  plainCallIds,
  requestTimeoutMs,
  SchemaProjections,
  type SplitSettings,
  StreamReader,
  type StreamReaderOptions,
  type StrictTools,
  saysContextOverflow,
  shortCallIds,
  splitSettings,
  streamEndGraceMs,
  textsIn,
  toBase64,
  toBrokenStream,
  toFailure,
  toProviderError,
  toUrl,
} from './wire/index.ts';
