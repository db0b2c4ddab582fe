export type { Budget, BudgetExcess, BudgetLimits, BudgetRemainder, TokenPrices } from './budget.ts';
export { parsedArguments } from './call-arguments.ts';
export {
  type CheckedCompletionContext,
  type CompletionChecker,
  type CompletionContext,
  type CompletionRequirement,
  CompletionVerdict,
  earlierResults,
  readVerdict,
} from './completion.ts';
export {
  allCompletions,
  anyCompletion,
  type FilesExistCompletionOptions,
  filesExistCompletion,
  type LastCallCompletionOptions,
  lastCallCompletion,
} from './completion-checkers.ts';
export type { ToolContext } from './context.ts';
export { type Logger, silentLogger } from './context.ts';
export type {
  AssistantItem,
  AssistantPart,
  ConversationItem,
  HostedApprovalItem,
  HostedApprovalRequestPart,
  InputPart,
  MediaPart,
  RawItems,
  ToolCallPart,
  ToolResultItem,
  UserItem,
} from './conversation.ts';
export {
  defineRecordSlice,
  type EvaluationOrigin,
  type RecordedError,
  type RecordOrigin,
  recordError,
  recordedError,
  tokenUsage,
} from './event-origin.ts';
export type {
  Citation,
  HostedToolOutput,
  HostedToolOutputs,
  HostedToolReading,
} from './hosted-tool.ts';
export { type HostedTool, hostedOutputsOf, hostedTool } from './hosted-tool.ts';
export { mediaFormatOf } from './media-format.ts';
export {
  type ModelSettings,
  type NeutralSetting,
  neutralSettings,
  type ReasoningEffort,
  type ServiceTier,
} from './model-settings.ts';
export { type ModelTool, toModelTool } from './model-tool.ts';
export { assertDescription, assertToolName } from './names.ts';
export type { NestedAdapter, NestedEvaluateOptions, OuterToolCall, ToolChoice } from './nested-evaluation.ts';
export type {
  BudgetTrackerPort,
  DeadlinePort,
  PromptOutputPort,
  PromptPort,
  RenderedPromptPort,
  SectionPort,
  SharedBudgetPort,
  ToolPort,
} from './ports.ts';
export type { FinishReason, PromptResponse, TokenUsage } from './prompt-response.ts';
export type { ProviderTool } from './provider-tool.ts';
export { readToolResult } from './read-tool-result.ts';
export { innerLimitChecks, type NestedRunLimits } from './run-limits.ts';
export {
  foreignTool,
  maxForeignDescriptionCharacters,
  overrideTool,
  type ReturnedValue,
  type ToolOptions,
  type ToolTexts,
  tool,
} from './tool.ts';
export type { FileArgument, ToolFiles } from './tool-files.ts';
export {
  type CallHistory,
  type RecordedApproval,
  type RecordedAttachment,
  type RecordedChange,
  type RecordedFeedback,
  type ShownSection,
  type ToolCallFailureReason,
  ToolCallLog,
  type ToolCallOutcome,
  ToolInvoked,
  type ToolInvokedPayload,
  type UnenforcedDecision,
} from './tool-invoked.ts';
export { type ToolFailure, ToolResult, type ToolSuccess } from './tool-result.ts';
export type {
  AnyTool,
  ReconcileContext,
  Tool,
  ToolEffects,
  ToolExample,
  ToolHandler,
  ToolReconciler,
  ToolSucceededPayload,
} from './tool-types.ts';
export {
  maxAnswerCharacters,
  readUserAnswer,
  readUserQuestion,
  type UserAnswer,
  type UserQuestion,
  unavailable,
} from './user-question.ts';
