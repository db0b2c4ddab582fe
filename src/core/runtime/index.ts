export type {
  AssistantItem,
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedApprovalItem,
  HostedApprovalRequestPart,
  InputPart,
  MediaPart,
  ModelTool,
  RawItems,
  TokenUsage,
  ToolCallPart,
  ToolChoice,
  ToolResultItem,
  UserItem,
} from '../tool/index.ts';
export {
  type CallHistory,
  type EvaluationOrigin,
  type RecordedApproval,
  type RecordedAttachment,
  type RecordedChange,
  type RecordedError,
  type RecordedFeedback,
  type RecordOrigin,
  recordError,
  type ToolCallFailureReason,
  ToolCallLog,
  type ToolCallOutcome,
  ToolInvoked,
  type ToolInvokedPayload,
  type UnenforcedDecision,
} from '../tool/index.ts';
export {
  type ApprovalSuspension,
  type Approver,
  isSuspension,
  type SuspendApprovalOptions,
  type SuspendedRun,
  suspendApproval,
} from './call/approvals/suspend-approval.ts';
export { markRejected } from './call/attempt/exceptions.ts';
export type {
  AttemptName,
  BeginningAttempt,
  CallHooks,
  OnceHooks,
  SpendingHooks,
} from './call/environment/call-hooks.ts';
export type {
  EarlierCalls,
  EvaluationPlace,
  PaidAnswer,
  RecordedEnd,
  RecordedFork,
  RecordedHandler,
} from './call/environment/earlier-calls.ts';
export { EndedCalls } from './call/environment/ended-calls.ts';
export type {
  ApprovalAnswer,
  ApprovalHandler,
  ApprovalRequest,
  CallSettings,
  EvaluationEnvironment,
  UserAsker,
} from './call/environment/environment.ts';
export {
  type KnownAnswer,
  type KnownAnswers,
  type KnownRefusal,
  type OpenQuestion,
  type PendingApproval,
  RunSuspended,
  RunSuspension,
  type StagedCall,
} from './call/environment/run-suspension.ts';
export { recordable } from './call/record-call.ts';
export { CallReporter } from './call/report/call-reporter.ts';
export { isReported, recordSlices, withoutRecords } from './call/report/record-slices.ts';
export { RunLedger } from './call/report/run-ledger.ts';
export type { OuterCall } from './call/tool-call/outer-call.ts';
export { type ToolCall, type ToolCallResult, toToolCall } from './call/tool-call/tool-call.ts';
export {
  applyPatch,
  type CallPatch,
  CallTransaction,
  type SessionRoot,
  type TransactionRoots,
} from './call/transaction/transaction.ts';
export type { MadeCompaction } from './context/compaction-types.ts';
export { KeptResults, readResultName } from './context/kept-results.ts';
export { boundReadResult } from './context/read-result.ts';
export { TouchedFiles } from './context/touched-files.ts';
export {
  type EvaluationPhase,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
  type PromptEvaluationErrorOptions,
} from './events/prompt-evaluation-error.ts';
export {
  PromptExecuted,
  type PromptExecutedPayload,
  PromptExecutionLog,
  PromptRendered,
  type PromptRenderedPayload,
  PromptRenderingLog,
  ToolRenderings,
} from './events/prompt-events.ts';
export type { BareEvent, RunEvent, RunEventListener, RunPathStep } from './events/run-event.ts';
export type { TraceContext } from './events/trace-context.ts';
export {
  type DeadlineFeedbackOptions,
  deadlineFeedback,
  type RepetitionFeedbackOptions,
  repetitionFeedback,
} from './feedback/built-in-feedback.ts';
export { checkFeedbackProviders } from './feedback/check-feedback.ts';
export {
  type FeedbackProgress,
  type FeedbackProviderProgress,
  FeedbackState,
} from './feedback/feedback-progress.ts';
export type {
  Feedback,
  FeedbackContext,
  FeedbackProvider,
  FeedbackSeverity,
  FeedbackTriggers,
} from './feedback/feedback-provider.ts';
export { FeedbackRunner } from './feedback/feedback-runner.ts';
export { type BlobStore, isBlobKey } from './journal/blob-store.ts';
export type {
  JournalLedger,
  KeptOnce,
  OnceAnswer,
  OnceCall,
  OnceChange,
  OnceFilter,
  OnceKey,
  OnceOutcome,
  OncePurpose,
} from './journal/journal-ledger.ts';
export type {
  BudgetAmounts,
  BudgetPeriod,
  BudgetRequest,
  BudgetShare,
  BudgetSpending,
  BudgetSpends,
} from './journal/journal-spending.ts';
export {
  answerOnce,
  changeOnce,
  type IsAlive,
  keptOnce,
  listOnce,
  type OnceHolder,
  type OnceRow,
  settledOnce,
} from './journal/kept-once.ts';
export { type ListedRun, listRuns, readyFromMs, rowsWith } from './journal/kept-run.ts';
export {
  addAmounts,
  budgetNameOf,
  eachAmount,
  type HeldSpending,
  isOverSince,
  largerAmounts,
  listSpendings,
  nextTurnOf,
  noAmounts,
  type ReservedShare,
  reserveShare,
  type SpendingHolder,
  type SpendingRow,
  type SpendingTotal,
  spendingOf,
  spendMore,
  subtractAmounts,
  totalFrom,
  totalTexts,
} from './journal/kept-spending.ts';
export {
  type CancelMessage,
  emptyInbox,
  inboxOf,
  type RunInbox,
  type RunMessage,
  type SaidMessage,
} from './journal/run-inbox.ts';
export {
  findRun,
  type JournalBatch,
  type JournaledRun,
  type JournalRow,
  journalOperations,
  type RunFilter,
  type RunJournal,
  type RunSummary,
  summaryOf,
  withRunInfo,
} from './journal/run-journal.ts';
export type { RunLease, RunLeaseIdentity } from './journal/run-lease.ts';
export { BudgetTracker, type BudgetTrackerOptions, toBudgetTracker } from './limits/budget-tracker.ts';
export { Deadline } from './limits/deadline.ts';
export { followSignal } from './limits/follow-signal.ts';
export { RepeatedFailures, type Repetition } from './limits/repeated-failures.ts';
export { haltReason, RunBudget } from './limits/run-budget.ts';
export { RunStop, RunStoppedSignal, type StopReason } from './limits/run-stop.ts';
export {
  isSharedBudget,
  type RunShare,
  type RunTracker,
  type SharedBudget,
  type SpendingRun,
} from './limits/shared-budget.ts';
export { type RetryOptions, type ThrottlePolicy, toThrottlePolicy } from './limits/throttle-policy.ts';
export { priceChecks, tokenCost } from './limits/token-cost.ts';
export { Watchdog } from './limits/watchdog.ts';
export { type LoopOptions, runLoop } from './loop/loop.ts';
export {
  createPartCheck,
  findNoAnswer,
  findTurnFault,
  isClaimed,
  isCutOff,
  readUsage,
} from './model/check-turn.ts';
export { runtimeItem, userItem } from './model/conversation-items.ts';
export { hostedOutputs, type LoopState, newLoopState } from './model/loop-state.ts';
export {
  addTokenUsage,
  type DeferredSection,
  type LanguageModel,
  type ModelCallOptions,
  type ModelCheck,
  type ModelDelta,
  type ModelRequest,
  type ModelTurn,
  tokenCounts,
} from './model/model.ts';
export {
  type DescribedModel,
  type LanguageModels,
  ModelSequence,
  modelsOf,
  type NamedModel,
} from './model/model-sequence.ts';
export { defaultCharactersPerToken } from './model/token-estimate.ts';
export { TurnChoices } from './model/turn-choices.ts';
export { VisiblePrompt } from './model/visible-prompt.ts';
export { assertEventTypes, type EventType, everyEventType } from './observer/event-types.ts';
export { guardObservers } from './observer/guard-observers.ts';
export type {
  CallCommit,
  CallPhases,
  ConversationEdit,
  DiscardedAttempt,
  ObservedAttempt,
  ObservedEvaluation,
  ObservedRequest,
  ObservedResponse,
  ObservedState,
  PolicyAnswer,
  ReadConflict,
} from './observer/observed.ts';
export {
  redactAttempt,
  redactRead,
  redactRequest,
  redactResponse,
  redactState,
} from './observer/redact-observed.ts';
export { noObservers, type ObserverCalls, type RunObserver, type RunScope } from './observer/run-observer.ts';
export {
  type HiddenForm,
  hideForms,
  type Redaction,
  Redactor,
  redactPatterns,
  redactSecrets,
} from './redaction/index.ts';
export { createMessageInbox, inputOf, type MessageInbox } from './said/message-inbox.ts';
export type { RunInput, TakenInput } from './said/run-input.ts';
export { assertRoom, saidItem, saidText, takenTogether } from './said/said-message.ts';
export { toCompletionChecker } from './turn/completion-checker.ts';
export { type AnswerOptions, Conclusion, type LoopResult, type ReadAnswer } from './turn/conclusion.ts';
export type { StreamedAnswer } from './turn/delta-stream.ts';
export { endingOf, RunErrors } from './turn/run-errors.ts';
export type { Step, StepFunction, StepKinds } from './turn/step.ts';
export { TurnLedger, textOf } from './turn/turn-ledger.ts';
export { TurnRunner } from './turn/turn-runner.ts';
