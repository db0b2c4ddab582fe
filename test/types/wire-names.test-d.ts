import { describe, expectTypeOf, it } from 'vitest';
import type {
  BudgetExceededError,
  ConversationItem,
  DeadlineExceededError,
  FilesystemError,
  FinishReason,
  JournalError,
  JournaledRun,
  JournalFencedError,
  MissingPeerError,
  OutputParseError,
  OverridesError,
  PromptEvaluationError,
  PromptExecutedPayload,
  PromptRenderError,
  PromptValidationError,
  ResourceError,
  RunEvent,
  RunLostError,
  SchemaError,
  SessionBusyError,
  SessionError,
  SnapshotError,
  ToolInvokedPayload,
  ToolValidationError,
  TransactionClosedError,
  VisibilityExpansionRequired,
} from 'weakincentives';
import type { McpError } from 'weakincentives/mcp';
import type { ModelResponseError, ThrottleError } from 'weakincentives/provider';
import type { RecordError, Row, RowOf } from 'weakincentives/record';
import type { SandboxError } from 'weakincentives/sandbox';

type Change = RowOf<'state'>['writes'][number];
type File = RowOf<'commit'>['files'][number];
type Content = Extract<ConversationItem, { readonly content: readonly unknown[] }>['content'][number];

// Journals, records and session exports hold these words, and programs compare with them. A word stays when its type gets another name: what is
// stored has the old word.
describe('words on the wire', () => {
  it('of rows of a record and of a journal', () => {
    expectTypeOf<Row['type']>().toEqualTypeOf<
      | 'answer'
      | 'attempt'
      | 'begin'
      | 'blob'
      | 'cancelled'
      | 'commit'
      | 'delivered'
      | 'end'
      | 'event'
      | 'header'
      | 'input'
      | 'pending'
      | 'question'
      | 'request'
      | 'response'
      | 'resumed'
      | 'life'
      | 'run'
      | 'seen'
      | 'slice'
      | 'state'
    >();
    expectTypeOf<RowOf<'end'>['outcome']>().toEqualTypeOf<'failed' | 'finished' | 'suspended'>();
    expectTypeOf<RowOf<'attempt'>['why']>().toEqualTypeOf<'failed' | 'superseded'>();
    expectTypeOf<RowOf<'state'>['kind']>().toEqualTypeOf<'change' | 'start'>();
    expectTypeOf<RowOf<'slice'>['policy']>().toEqualTypeOf<'log' | 'state'>();
    expectTypeOf<Change['op']>().toEqualTypeOf<'append' | 'clear' | 'put' | 'remove'>();
    expectTypeOf<File['kind']>().toEqualTypeOf<'created' | 'modified' | 'removed'>();
    expectTypeOf<File['entry']>().toEqualTypeOf<'directory' | 'file'>();
    expectTypeOf<NonNullable<RowOf<'commit'>['effects']>>().toEqualTypeOf<'external' | 'read' | 'state'>();
    expectTypeOf<RowOf<'header'>['reads']>().toEqualTypeOf<'content' | 'digest'>();
  });

  it('of run events', () => {
    expectTypeOf<RunEvent['type']>().toEqualTypeOf<
      | 'answer-restarted'
      | 'approval-end'
      | 'approval-pending'
      | 'approval-start'
      | 'budget-exceeded'
      | 'completion-checked'
      | 'feedback-recorded'
      | 'hosted-approval-answered'
      | 'hosted-tool-called'
      | 'input-taken'
      | 'model-call-end'
      | 'model-call-retry'
      | 'model-call-start'
      | 'model-changed'
      | 'output-rejected'
      | 'policy-unenforced'
      | 'reasoning-delta'
      | 'run-end'
      | 'run-resumed'
      | 'run-start'
      | 'text-delta'
      | 'tool-call-end'
      | 'tool-call-heartbeat'
      | 'tool-call-progress'
      | 'tool-call-retry'
      | 'tool-call-start'
      | 'tool-results-dropped'
      | 'turn-end'
      | 'turn-start'
      | 'context-compacted'
      | 'turns-dropped'
      | 'usage-counted'
    >();
  });

  it('of what is recorded of a call and of a run', () => {
    expectTypeOf<ToolInvokedPayload['outcome']>().toEqualTypeOf<
      'aborted' | 'committed' | 'denied' | 'rejected' | 'rolled-back'
    >();
    expectTypeOf<NonNullable<ToolInvokedPayload['reason']>>().toEqualTypeOf<
      | 'aborted'
      | 'budget'
      | 'commit-failed'
      | 'conflict'
      | 'cut-off'
      | 'deadline'
      | 'denied'
      | 'dispose-failed'
      | 'effects-exceeded'
      | 'failed-result'
      | 'idle'
      | 'in-doubt'
      | 'interrupted-repeatedly'
      | 'interrupted'
      | 'invalid-arguments'
      | 'invalid-output'
      | 'no-handler'
      | 'not-allowed'
      | 'not-a-result'
      | 'not-approved'
      | 'once-busy'
      | 'once-differs'
      | 'policy-failed'
      | 'result-too-large'
      | 'sections-not-opened'
      | 'sections-opened'
      | 'suspended'
      | 'threw'
      | 'timeout'
      | 'unknown-tool'
      | 'validation'
    >();
    expectTypeOf<NonNullable<ToolInvokedPayload['feedback']>[number]['outcome']>().toEqualTypeOf<
      'failed' | 'given' | 'silent'
    >();
    expectTypeOf<NonNullable<ToolInvokedPayload['approvals']>[number]['about']>().toEqualTypeOf<
      'call' | 'changes'
    >();
    expectTypeOf<PromptExecutedPayload['outcome']>().toEqualTypeOf<'failed' | 'finished'>();
    expectTypeOf<FinishReason>().toEqualTypeOf<
      'content-filter' | 'context-window' | 'length' | 'other' | 'paused' | 'refusal' | 'stop' | 'tool-calls'
    >();
    expectTypeOf<JournaledRun['status']>().toEqualTypeOf<
      'cancelled' | 'failed' | 'finished' | 'interrupted' | 'running' | 'suspended'
    >();
  });

  it('of a conversation', () => {
    expectTypeOf<ConversationItem['type']>().toEqualTypeOf<
      'approval' | 'assistant' | 'tool-result' | 'user'
    >();
    expectTypeOf<Content['type']>().toEqualTypeOf<
      'approval-request' | 'file' | 'image' | 'reasoning' | 'text' | 'tool-call'
    >();
  });

  it('of codes of errors', () => {
    expectTypeOf<BudgetExceededError['code']>().toEqualTypeOf<'budget-exceeded'>();
    expectTypeOf<DeadlineExceededError['code']>().toEqualTypeOf<'deadline-exceeded'>();
    expectTypeOf<FilesystemError['code']>().toEqualTypeOf<
      | 'argument-invalid'
      | 'directory-not-empty'
      | 'edit-ambiguous'
      | 'edit-not-found'
      | 'file-changed-on-disk'
      | 'file-not-text'
      | 'file-too-large'
      | 'filesystem-busy'
      | 'filesystem-locked'
      | 'filesystem-quota-exceeded'
      | 'filesystem-read-only'
      | 'filesystem-storage-failed'
      | 'path-excluded'
      | 'path-forbidden'
      | 'path-invalid'
      | 'path-is-directory'
      | 'path-not-directory'
      | 'path-not-found'
      | 'path-outside-root'
      | 'path-taken'
      | 'pattern-invalid'
      | 'root-replaced'
    >();
    expectTypeOf<JournalError['code']>().toEqualTypeOf<
      | 'journal-closed'
      | 'journal-failed'
      | 'journal-damaged'
      | 'journal-invalid'
      | 'journal-read-only'
      | 'journal-version-unsupported'
    >();
    expectTypeOf<JournalFencedError['code']>().toEqualTypeOf<'journal-fenced'>();
    expectTypeOf<McpError['code']>().toEqualTypeOf<
      'mcp-pin-mismatched' | 'mcp-tools-invalid' | 'mcp-unauthorized' | 'mcp-unavailable'
    >();
    expectTypeOf<MissingPeerError['code']>().toEqualTypeOf<'peer-missing'>();
    expectTypeOf<ModelResponseError['code']>().toEqualTypeOf<
      'model-context-exceeded' | 'model-response-empty' | 'model-response-failed' | 'model-response-invalid'
    >();
    expectTypeOf<OutputParseError['code']>().toEqualTypeOf<'output-parse-failed'>();
    expectTypeOf<OverridesError['code']>().toEqualTypeOf<
      | 'overrides-conflicting'
      | 'overrides-corrupt'
      | 'overrides-mismatched'
      | 'overrides-storage-failed'
      | 'overrides-version-unsupported'
    >();
    expectTypeOf<PromptEvaluationError['code']>().toEqualTypeOf<
      | 'evaluation-aborted'
      | 'evaluation-budget-exceeded'
      | 'evaluation-cancelled'
      | 'evaluation-completion-failed'
      | 'evaluation-context-exceeded'
      | 'evaluation-deadline-exceeded'
      | 'evaluation-depth-exceeded'
      | 'evaluation-diverged'
      | 'evaluation-failures-repeated'
      | 'evaluation-idle'
      | 'evaluation-incomplete'
      | 'evaluation-interrupted'
      | 'evaluation-output-invalid'
      | 'evaluation-render-failed'
      | 'evaluation-request-failed'
      | 'evaluation-response-invalid'
      | 'evaluation-tools-failed'
      | 'evaluation-turns-exceeded'
    >();
    expectTypeOf<PromptRenderError['code']>().toEqualTypeOf<'prompt-render-failed'>();
    expectTypeOf<PromptValidationError['code']>().toEqualTypeOf<'prompt-invalid'>();
    expectTypeOf<RecordError['code']>().toEqualTypeOf<
      | 'record-row-unsupported'
      | 'record-blob-missing'
      | 'record-empty'
      | 'record-malformed'
      | 'record-replay-incomplete'
      | 'record-request-missing'
      | 'record-version-unsupported'
    >();
    expectTypeOf<ResourceError['code']>().toEqualTypeOf<
      | 'resource-after-create-failed'
      | 'resource-begin-failed'
      | 'resource-binding-invalid'
      | 'resource-conflicts-failed'
      | 'resource-cyclic'
      | 'resource-dependency-invalid'
      | 'resource-dispose-failed'
      | 'resource-disposed'
      | 'resource-duplicate'
      | 'resource-factory-failed'
      | 'resource-fallible-exceeded'
      | 'resource-owned'
      | 'resource-refused'
      | 'resource-scope-invalid'
      | 'resource-busy'
      | 'resource-statement-refused'
      | 'resource-unbound'
    >();
    expectTypeOf<RunLostError['code']>().toEqualTypeOf<'run-lost'>();
    expectTypeOf<SandboxError['code']>().toEqualTypeOf<
      | 'sandbox-command-invalid'
      | 'sandbox-disposed'
      | 'sandbox-failed'
      | 'sandbox-option-invalid'
      | 'sandbox-unavailable'
    >();
    expectTypeOf<SchemaError['code']>().toEqualTypeOf<
      | 'schema-async'
      | 'schema-not-object'
      | 'schema-not-standard'
      | 'schema-unrepresentable'
      | 'value-invalid'
      | 'value-not-json'
    >();
    expectTypeOf<SessionBusyError['code']>().toEqualTypeOf<'session-busy'>();
    expectTypeOf<SessionError['code']>().toEqualTypeOf<
      | 'event-duplicate'
      | 'event-invalid'
      | 'event-policy-mixed'
      | 'reducer-failed'
      | 'session-disposed'
      | 'session-invalid'
      | 'session-read-only'
      | 'slice-append-only'
      | 'slice-duplicate'
      | 'slice-invalid'
      | 'slice-key-invalid'
      | 'slice-not-keyed'
      | 'slice-unknown'
    >();
    expectTypeOf<SnapshotError['code']>().toEqualTypeOf<
      | 'snapshot-foreign'
      | 'snapshot-item-invalid'
      | 'snapshot-malformed'
      | 'snapshot-migration-failed'
      | 'snapshot-released'
      | 'snapshot-slice-unknown'
      | 'snapshot-version-unsupported'
    >();
    expectTypeOf<ThrottleError['code']>().toEqualTypeOf<
      | 'throttle-attempts-exhausted'
      | 'throttle-deadline-exceeded'
      | 'throttle-delay-exceeded'
      | 'throttle-signaled'
    >();
    expectTypeOf<ToolValidationError['code']>().toEqualTypeOf<'tool-validation-failed'>();
    expectTypeOf<TransactionClosedError['code']>().toEqualTypeOf<'transaction-closed'>();
    expectTypeOf<VisibilityExpansionRequired['code']>().toEqualTypeOf<'visibility-expansion-required'>();
  });
});
