export type {
  ApprovalItem,
  ApprovalRequestPart,
  AssistantItem,
  AssistantPart,
  ConversationItem,
  FinishReason,
  InputPart,
  MediaPart,
  RawItems,
  TokenUsage,
  ToolCallPart,
  ToolChoice,
  ToolResultItem,
  UserItem,
} from '../tool/index.ts';
export type { AnswerOptions, ReadAnswer } from './answer-desk.ts';
export { BudgetTracker, type BudgetTrackerOptions, toBudgetTracker } from './budget-tracker.ts';
export { checkFeedbackProviders } from './check-feedback.ts';
export { toCompletionOptions } from './completion-desk.ts';
export { Deadline } from './deadline.ts';
export { type DeadlineFeedbackOptions, deadlineFeedback } from './deadline-feedback.ts';
export type { Approval, ApprovalRequest, Approve, EvaluationEnvironment } from './environment.ts';
export type { EvaluationOrigin, EventOrigin } from './event-origin.ts';
export { FeedbackDesk } from './feedback-desk.ts';
export {
  type FeedbackProgress,
  type FeedbackProviderProgress,
  FeedbackState,
} from './feedback-progress.ts';
export type {
  CallHistory,
  Feedback,
  FeedbackContext,
  FeedbackProvider,
  FeedbackSeverity,
  FeedbackTriggers,
} from './feedback-provider.ts';
export { followSignal } from './follow-signal.ts';
export { haltReason } from './halt-reason.ts';
export { hostedOutputs } from './hosted-outputs.ts';
export { type LoopOptions, type LoopResult, runLoop } from './loop.ts';
export { type LoopState, newLoopState } from './loop-state.ts';
export {
  addUsage,
  type GenerateOptions,
  type ModelCheck,
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
  type ModelTool,
  type ModelTurn,
  tokenCounts,
} from './model.ts';
export type { OuterCall } from './outer-call.ts';
export { PromptDisplay } from './prompt-display.ts';
export {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
  type PromptEvaluationErrorOptions,
} from './prompt-evaluation-error.ts';
export { PromptExecuted, type PromptExecutedPayload, PromptExecutions } from './prompt-executed.ts';
export {
  PromptRendered,
  type PromptRenderedPayload,
  PromptRenderings,
  type RenderedTool,
  RenderedTools,
  type RenderedToolsPayload,
  ToolRenderings,
} from './prompt-rendered.ts';
export { type RecordedError, recordError } from './record-error.ts';
export { recordable } from './recordable.ts';
export { type Redact, Redactor, redactPatterns, redactSecrets } from './redaction/index.ts';
export { markRejected } from './rejected-evaluation.ts';
export { type RepetitionFeedbackOptions, repetitionFeedback } from './repetition-feedback.ts';
export { RunBudget } from './run-budget.ts';
export {
  liveRunContext,
  type RunContext,
  type Step,
  type StepHandlers,
  type StepKinds,
} from './run-context.ts';
export { RunErrors } from './run-errors.ts';
export type { RunEvent, RunEventListener } from './run-event.ts';
export { RunStop, RunStopped, type StopReason } from './run-stop.ts';
export { endingOf } from './stop-ending.ts';
export { type ThrottleOptions, type ThrottlePolicy, toThrottlePolicy } from './throttle.ts';
export { costOf } from './token-cost.ts';
export { type ToolCall, toToolCall } from './tool-call.ts';
export type { ToolCallResult } from './tool-call-run.ts';
export {
  type RecordedApproval,
  type RecordedAttachment,
  type RecordedChange,
  type RecordedFeedback,
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
export { findTurnFault } from './turn-fault.ts';
export { TurnRunner } from './turn-runner.ts';
export { TurnScheduler } from './turn-scheduler.ts';
export { Watchdog } from './watchdog.ts';
