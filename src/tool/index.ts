export type { Budget, BudgetExcess, BudgetLimits, BudgetRemainder, TokenPrices } from './budget.ts';
export {
  type CompletionChecker,
  type CompletionContext,
  type CompletionOptions,
  type CompletionRequirement,
  type CompletionVerdict,
  complete,
  incomplete,
  readVerdict,
} from './completion.ts';
export { allOf, anyOf, filesExist, lastCallSucceeded } from './completion-checkers.ts';
export type { ToolContext } from './context.ts';
export type {
  ApprovalItem,
  ApprovalRequestPart,
  AssistantItem,
  AssistantPart,
  ConversationItem,
  InputPart,
  MediaPart,
  RawItems,
  ToolCallPart,
  ToolResultItem,
  UserItem,
} from './conversation.ts';
export type { EnclosingCall } from './enclosing-call.ts';
export type { EvaluatorPort, NestedEvaluateOptions, ToolChoice } from './evaluator-port.ts';
export type {
  Citation,
  HostedToolOutput,
  HostedToolOutputs,
  HostedToolReading,
} from './hosted-output.ts';
export { hostedOutputsOf } from './hosted-outputs-of.ts';
export { type HostedTool, hostedTool } from './hosted-tool.ts';
export { type Logger, silentLogger } from './logger.ts';
export {
  type ModelSettings,
  type NeutralSetting,
  neutralSettings,
  type ReasoningEffort,
} from './model-settings.ts';
export { assertDescription, assertToolName } from './names.ts';
export { overrideTool, type ToolTexts } from './override-tool.ts';
export type {
  BudgetTrackerPort,
  DeadlinePort,
  PromptOutputPort,
  PromptPort,
  RenderedPromptPort,
  SectionPort,
  ToolPort,
} from './ports.ts';
export type { FinishReason, PromptResponse, TokenUsage } from './prompt-response.ts';
export { type ToolOptions, tool } from './tool.ts';
export { readToolResult, type ToolFailure, ToolResult, type ToolSuccess } from './tool-result.ts';
export type {
  AnyTool,
  Tool,
  ToolEffects,
  ToolExample,
  ToolHandler,
  ToolSucceeded,
} from './tool-types.ts';
