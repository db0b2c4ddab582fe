export {
  assertArgument,
  assertOptions,
  type RefuseArgument,
} from './argument.ts';
export { BudgetExceededError } from './budget-exceeded-error.ts';
export { DeadlineExceededError } from './deadline-exceeded-error.ts';
export { describeError } from './describe-error.ts';
export { FilesystemError, type FilesystemErrorCode } from './filesystem-error.ts';
export { MissingPeerError } from './missing-peer-error.ts';
export { ModelResponseError, type ModelResponseErrorCode } from './model-response-error.ts';
export { OutputParseError } from './output-parse-error.ts';
export { OverridesError, type OverridesErrorCode } from './overrides-error.ts';
export { PromptRenderError } from './prompt-render-error.ts';
export { PromptValidationError } from './prompt-validation-error.ts';
export { ResourceError, type ResourceErrorCode } from './resource-error.ts';
export { SchemaError, type SchemaErrorCode } from './schema-error.ts';
export { SessionBusyError } from './session-busy-error.ts';
export { SessionError, type SessionErrorCode } from './session-error.ts';
export { SnapshotError, type SnapshotErrorCode } from './snapshot-error.ts';
export {
  ThrottleError,
  type ThrottleErrorCode,
  type ThrottleErrorOptions,
  type ThrottleKind,
} from './throttle-error.ts';
export { ToolValidationError } from './tool-validation-error.ts';
export { TransactionClosedError } from './transaction-closed-error.ts';
export { type ErrorDetails, hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';
