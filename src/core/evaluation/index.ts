export type { PromptResponse } from '../tool/index.ts';
export type {
  Agent,
  AgentAdapter,
  AgentAdapterContext,
  AgentConclusion,
  AgentContext,
  AgentLimits,
  AgentOptions,
  AgentParams,
  AgentWorkspace,
  AnyAgent,
  AnyPromptTemplate,
  RunWorkspace,
  WorkspaceApplication,
} from './agent/agent.ts';
export { defineAgent } from './agent/define-agent.ts';
export { assertPrompt, type Checked, checkEvaluateOptions } from './options/check-options.ts';
export type { ContextOptions, EvaluateOptions, RunLimits } from './options/evaluate-options.ts';
export { evaluateChecks, limitChecks, movedOptions } from './options/option-checks.ts';
export { evaluatePrompt } from './run/evaluate.ts';
export { type ModelAdapter, modelOf, type ProviderAdapter, type RunOutcome } from './run/provider-adapter.ts';
export { type EndedTurn, GatheredCalls, type PendingCall, toCallPart } from './runtime/gathered-calls.ts';
export {
  checkRuntimeOptions,
  openHeldToolRuntime,
  toolRuntimeChecks,
} from './runtime/open-held-tool-runtime.ts';
export type {
  ReportedUsage,
  ToolRuntime,
  ToolRuntimeCall,
  ToolRuntimeCallOptions,
  ToolRuntimeOptions,
  ToolRuntimeOutput,
} from './runtime/tool-runtime-types.ts';
export type {
  EarlierRun,
  ForeignLoop,
  RunJournaling,
  RunLoop,
  RunSurroundings,
} from './scope/evaluation-scope.ts';
export { evaluationSlices } from './scope/evaluation-slices.ts';
export { newSession } from './scope/new-session.ts';
export {
  type PromptStream,
  type RunStreamEvent,
  type StreamedRun,
  streamOf,
} from './stream/prompt-stream.ts';
