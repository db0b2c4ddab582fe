export type {
  AssistantItem,
  AssistantPart,
  ConversationItem,
  FinishReason,
  InputPart,
  RawItems,
  TokenUsage,
  ToolCallPart,
  ToolChoice,
  ToolResultItem,
  UserItem,
} from '../tool/index.ts';
export { Deadline } from './deadline.ts';
export type { Approval, ApprovalRequest, Approve, EvaluationEnvironment } from './environment.ts';
export { type LoopOptions, type LoopResult, type LoopState, runLoop } from './loop.ts';
export {
  addUsage,
  type GenerateOptions,
  type ModelProvider,
  type ModelRequest,
  type ModelTool,
  type ModelTurn,
} from './model.ts';
export type { OuterCall } from './outer-call.ts';
export {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
  type PromptEvaluationErrorOptions,
} from './prompt-evaluation-error.ts';
export {
  liveRunContext,
  type RunContext,
  type Step,
  type StepHandlers,
  type StepKinds,
} from './run-context.ts';
export type { RunEvent, RunEventListener } from './run-event.ts';
export { RunStop, RunStopped, type StopReason } from './run-stop.ts';
export { type ThrottleOptions, type ThrottlePolicy, toThrottlePolicy } from './throttle.ts';
export type { ToolCall } from './tool-call.ts';
export type { ToolCallResult } from './tool-call-run.ts';
export {
  type RecordedApproval,
  type RecordedChange,
  type RecordedError,
  type ShadowFinding,
  type ToolCallFailureReason,
  type ToolCallOutcome,
  ToolInvocations,
  ToolInvoked,
  type ToolInvokedPayload,
} from './tool-invoked.ts';
export {
  applyPatch,
  type CallPatch,
  CallTransaction,
  type SessionRoot,
  type TransactionRoots,
} from './transaction.ts';
export { TurnScheduler } from './turn-scheduler.ts';
