export { assertArgument, assertMembers, describeKind, type RefuseArgument } from './argument.ts';
export { describeError } from './describe-error.ts';
export { FilesystemError, type FilesystemErrorCode } from './filesystem-error.ts';
export { JournalError, type JournalErrorCode } from './journal-error.ts';
export {
  JournalFencedError,
  RunLostError,
  RunRefusedError,
  type RunRefusedErrorCode,
} from './journal-errors.ts';
export { assertKeptName, keptName } from './kept-name.ts';
export { McpError, type McpErrorCode } from './mcp-error.ts';
export {
  MissingPeerError,
  ModelResponseError,
  type ModelResponseErrorCode,
  missingPeer,
  type PeerPackage,
  ThrottleError,
  type ThrottleErrorCode,
  type ThrottleErrorOptions,
  type ThrottleKind,
} from './model-errors.ts';
export {
  assertOptions,
  integer,
  type LimitsOf,
  listOf,
  matching,
  maxTimerMs,
  number,
  type OptionCheck,
  type OptionChecks,
  type OptionRule,
  type OptionsOf,
  oneOf,
  required,
  rule,
  someOf,
  systemText,
  unknownOption,
  withDefaults,
} from './options.ts';
export {
  OverridesError,
  type OverridesErrorCode,
  PromptRenderError,
  PromptValidationError,
  ToolValidationError,
} from './prompt-errors.ts';
export { RecordError, type RecordErrorCode } from './record-error.ts';
export { ResourceError, type ResourceErrorCode } from './resource-error.ts';
export { BudgetExceededError, DeadlineExceededError, OutputParseError } from './run-errors.ts';
export { SandboxError, type SandboxErrorCode } from './sandbox-error.ts';
export { SchemaError, type SchemaErrorCode } from './schema-error.ts';
export {
  SessionBusyError,
  SessionError,
  type SessionErrorCode,
  SnapshotError,
  type SnapshotErrorCode,
  TransactionClosedError,
} from './session-errors.ts';
export { type ErrorDetails, hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';
