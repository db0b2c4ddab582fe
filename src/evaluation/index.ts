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
export { evaluatePrompt } from './evaluate.ts';
export { checkEvaluateOptions, type EvaluateOptions } from './evaluate-options.ts';
export { evaluationSlices } from './evaluation-slices.ts';
export { type PromptStream, type StreamEvent, streamOf } from './prompt-stream.ts';
export type { ModelAdapter, ProviderAdapter } from './provider-adapter.ts';
export { toolRuntime } from './tool-runtime.ts';
export type {
  ReportedUsage,
  RuntimeCallOptions,
  RuntimeToolCall,
  ToolCallOutput,
  ToolRuntime,
  ToolRuntimeOptions,
} from './tool-runtime-types.ts';
