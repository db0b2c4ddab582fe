import { isRecord, type PersistentVector } from '../internal/index.ts';
import {
  constant,
  count,
  type Field,
  type FieldsOf,
  flag,
  type JsonValue,
  json,
  list,
  milliseconds,
  type OptionalField,
  oneOf,
  optional,
  type RecordOf,
  record,
  text,
} from '../schema/index.ts';
import { defineSystemEvent, type EventDefinition, type Slice } from '../session/index.ts';
import {
  defineRecordSlice,
  type RecordedError,
  type RecordOrigin,
  recordedError,
  tokenUsage,
} from './event-origin.ts';
import type { TokenUsage } from './prompt-response.ts';

/**
 * How a call ended for state and files.
 *
 * - `committed`: the handler succeeded and everything it changed is in place.
 * - `rolled-back`: the handler ran, or was about to, and nothing it changed is left.
 * - `denied`: a policy, or the approver, refused; no change remains.
 * - `rejected`: it never started: unknown tool, no handler, arguments that do not fit.
 * - `aborted`: the run ended before it was committed; nothing is left.
 */
export type ToolCallOutcome = 'committed' | 'rolled-back' | 'denied' | 'rejected' | 'aborted';

/**
 * Why a call was not committed.
 *
 * - `unknown-tool`, `no-handler`, `invalid-arguments`: the call never started. `cut-off`: nor did it, because the model's answer was cut off
 *   before the call was known to be complete. `effects-exceeded`: nor did it, because the
 *   call around it may do less than it does.
 * - `not-allowed`: nor did it, because `toolChoice` of the evaluation does not allow the tool.
 * - `denied`: a policy refused, or its check threw. `not-approved`: a policy asked and the answer was no, or there was no approver.
 * - `policy-failed`: a policy's `onResult` threw.
 * - `failed-result`: the handler returned a failure. `validation`: it threw `ToolValidationError`. `threw`: anything else.
 * - `not-a-result`: it returned something other than a `ToolResult`, or attachments that cannot be sent. `invalid-output`: its value breaks the output schema.
 *   `result-too-large`: the model would get more characters than it may.
 * - `timeout`: the tool's own `timeoutMs` passed. `dispose-failed`: a tool-call resource could not be disposed.
 * - `conflict`: what it had read changed three times. `commit-failed`: its changes did not fit the present state.
 * - `sections-opened`: the handler wanted sections to be opened first, and they were. `sections-not-opened`: they could not be.
 * - `aborted`, `deadline`, `budget`, `idle`: the run ended. `interrupted`: it ended the run itself.
 * - `suspended`: the run ended to wait for an answer, and the call is made again when it is resumed. In no record: it has not ended.
 * - `in-doubt`: it began before the run was interrupted, and whether it took effect is not known.
 * - `once-differs`: a call with other arguments has done, or does, what `once` of the tool gives the same name. `once-busy`: another call is doing it now.
 * - `interrupted-repeatedly`: the process ended while it ran, as often as `limits.maxInterruptions` says, so it is not made again.
 */
export type ToolCallFailureReason =
  | 'unknown-tool'
  | 'cut-off'
  | 'no-handler'
  | 'invalid-arguments'
  | 'effects-exceeded'
  | 'not-allowed'
  | 'denied'
  | 'not-approved'
  | 'policy-failed'
  | 'failed-result'
  | 'validation'
  | 'threw'
  | 'not-a-result'
  | 'invalid-output'
  | 'result-too-large'
  | 'timeout'
  | 'dispose-failed'
  | 'conflict'
  | 'commit-failed'
  | 'sections-opened'
  | 'sections-not-opened'
  | 'aborted'
  | 'deadline'
  | 'budget'
  | 'idle'
  | 'interrupted'
  | 'in-doubt'
  | 'once-busy'
  | 'once-differs'
  | 'interrupted-repeatedly'
  | 'suspended';

const recordedChange = {
  path: text as Field<string>,
  kind: text as Field<'created' | 'modified' | 'removed'>,
};

/** One file that a committed call changed. */
export interface RecordedChange extends RecordOf<typeof recordedChange> {}

const recordedAttachment = {
  type: text as Field<'image' | 'file'>,
  mediaType: text as Field<string>,
  name: optional(text) as OptionalField<string>,
  /** Length of the data: of the base64 text, or of the address. */
  characters: count as Field<number>,
};

/** An image or a file that the model got with a result, without its data. */
export interface RecordedAttachment extends RecordOf<typeof recordedAttachment> {}

const recordedApproval = {
  policy: text as Field<string>,
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  policyPrompt: optional(text) as OptionalField<string>,
  /** What the policy said. */
  reason: text as Field<string>,
  /** What was to be approved: the call before it ran, or what it had changed. */
  about: text as Field<'call' | 'changes'>,
  approved: flag as Field<boolean>,
  /** Why it was not approved, or that there was no approver. */
  answer: optional(text) as OptionalField<string>,
};

/** A policy's request for approval, and the answer. */
export interface RecordedApproval extends RecordOf<typeof recordedApproval> {}

const unenforcedDecision = {
  policy: text as Field<string>,
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  policyPrompt: optional(text) as OptionalField<string>,
  /** A check that throws, or returns no decision, would have denied. */
  outcome: text as Field<'deny' | 'ask'>,
  reason: text as Field<string>,
};

/** What a policy would have done to a call that ran without enforcement. */
export interface UnenforcedDecision extends RecordOf<typeof unenforcedDecision> {}

const feedbackRun = {
  provider: text as Field<string>,
  /** When it was asked. */
  atMs: milliseconds as Field<number>,
};

const feedbackGiven = {
  /** The model reads it after the text of the call. */
  outcome: constant('given') as Field<'given'>,
  severity: text as Field<'info' | 'caution' | 'warning'>,
  message: text as Field<string>,
  suggestions: optional(list(text)) as OptionalField<readonly string[]>,
};

const feedbackSilent = {
  /** It had nothing to say. */
  outcome: constant('silent') as Field<'silent'>,
};

const feedbackFailed = {
  /** It threw, or did not return feedback. */
  outcome: constant('failed') as Field<'failed'>,
  error: record(recordedError) as Field<RecordedError>,
};

/** The outcome of a feedback provider that was due after a call. */
export type RecordedFeedback = RecordOf<typeof feedbackRun> &
  (RecordOf<typeof feedbackGiven> | RecordOf<typeof feedbackSilent> | RecordOf<typeof feedbackFailed>);

/** A section as a call showed it. */
export interface ShownSection {
  /** Dotted path. */
  readonly section: string;
  /** All of it, or its summary. */
  readonly visibility: 'full' | 'summary';
}

const shownSection: FieldsOf<ShownSection> = {
  section: text,
  visibility: text as Field<ShownSection['visibility']>,
};

const toolInvoked = {
  callId: text as Field<string>,
  toolName: text as Field<string>,
  /** Number of the model turn that asked for the call, from 1. */
  turn: count as Field<number>,
  /** The kind of the provider tool in whose shape the model asked, such as `openai.shell`. Absent: it called the tool itself. */
  providerKind: optional(text) as OptionalField<string>,
  /**
   * The arguments as they came over the wire, parsed; their text when they hold what could not come back from an export, such as a key `__proto__`;
   * absent when they were no JSON.
   */
  params: optional(json()) as OptionalField<JsonValue>,
  success: flag as Field<boolean>,
  outcome: text as Field<ToolCallOutcome>,
  /** `done`: an earlier call of the same name in `once` has done it, the handler did not run, and there is no value. Absent otherwise. */
  once: optional(text) as OptionalField<'done'>,
  /** Present unless the call was committed. */
  reason: optional(text) as OptionalField<ToolCallFailureReason>,
  /** The policy that refused, with outcome `denied`. */
  policy: optional(text) as OptionalField<string>,
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  policyPrompt: optional(text) as OptionalField<string>,
  message: text as Field<string>,
  /** The value of the result; its JSON text when it holds what could not come back from an export. */
  value: optional(json()) as OptionalField<JsonValue>,
  /** The value as text, as the tool renders it; empty without a value. */
  rendered: text as Field<string>,
  /** Exactly what the model reads, feedback included. */
  modelText: text as Field<string>,
  /** `read_result` finds the whole result under this id, of which the model has read an excerpt (`context.results`). Absent: it has read all of it. */
  resultId: optional(text) as OptionalField<string>,
  /** The images and files that it got after the text. Absent: none. */
  attachments: optional(list(record(recordedAttachment))) as OptionalField<
    readonly { [Name in keyof RecordedAttachment]: RecordedAttachment[Name] }[]
  >,
  error: optional(record(recordedError)) as OptionalField<RecordedError>,
  /** How often the call was tried; above 1 it was re-run because of conflicts. 0: it was rejected, or the run ended, before that. */
  attempts: count as Field<number>,
  /** What had changed under superseded attempts, in order: `file notes.md`, `slice findings`. */
  conflicts: list(text) as Field<readonly string[]>,
  startedAtMs: milliseconds as Field<number>,
  durationMs: milliseconds as Field<number>,
  /**
   * What a call that was not committed leaves in place, one line each: effects outside, resources that take no part in transactions,
   * resources that were committed before the commit broke off or that could not be rolled back. Absent when nothing can be left.
   */
  residualEffects: optional(list(text)) as OptionalField<readonly string[]>,
  /** Tokens that evaluations inside the call spent, in all its attempts; absent when there were none. */
  usage: optional(record(tokenUsage)) as OptionalField<TokenUsage>,
  /** The files that the committed call changed, sorted by path. */
  changes: list(record(recordedChange)) as Field<
    readonly { [Name in keyof RecordedChange]: RecordedChange[Name] }[]
  >,
  /** What was asked about the call, in order; in all attempts, since an answer is not asked for twice. Absent: nothing. */
  approvals: optional(list(record(recordedApproval))) as OptionalField<
    readonly { [Name in keyof RecordedApproval]: RecordedApproval[Name] }[]
  >,
  /** With `enforce: false`: what policies would have denied or asked in the last attempt. Absent: nothing. */
  unenforced: optional(list(record(unenforcedDecision))) as OptionalField<
    readonly { [Name in keyof UnenforcedDecision]: UnenforcedDecision[Name] }[]
  >,
  /** Sections that the call opened, with those shown below them; the tools of the full ones can be called from the next turn on. Absent: none. */
  openedSections: optional(list(record(shownSection))) as OptionalField<
    readonly { [Name in keyof ShownSection]: ShownSection[Name] }[]
  >,
  /** The feedback providers that ran after the call, in order. Absent: none did. */
  feedback: optional(
    list(
      oneOf<RecordedFeedback>(
        record({ ...feedbackRun, ...feedbackGiven }),
        record({ ...feedbackRun, ...feedbackSilent }),
        record({ ...feedbackRun, ...feedbackFailed }),
      ),
    ),
  ) as OptionalField<readonly RecordedFeedback[]>,
};

/** What happened in one tool call; recorded for every call, whatever its outcome. JSON-safe. */
export interface ToolInvokedPayload extends RecordOrigin, RecordOf<typeof toolInvoked> {}

/** Calls in the order in which they were committed or rolled back. */
export type CallHistory = Pick<PersistentVector<ToolInvokedPayload>, 'length' | 'at'> &
  Iterable<ToolInvokedPayload>;

/**
 * Dispatched once for every call, after it was committed or rolled back, in commit order.
 *
 * @see docs/spec/tool-calls.md §6
 */
export const ToolInvoked: EventDefinition<ToolInvokedPayload, ToolInvokedPayload> =
  defineSystemEvent<ToolInvokedPayload>('weakincentives.tool-invoked');

/** Names of fields in exports of version 1, which 0.1.0 writes. */
const renamedFields: ReadonlyMap<string, string> = new Map([
  ['standing', 'residualEffects'],
  ['shadow', 'unenforced'],
]);

/** The items of version 1 with the names of version 2. An item that is not a record stays unchanged and is refused later. */
function namesOfVersion2(items: readonly unknown[]): readonly unknown[] {
  return items.map((item) => {
    if (!isRecord(item)) return item;
    const entries = Object.entries(item).map(([name, value]) => [renamedFields.get(name) ?? name, value]);
    const renamed = Object.fromEntries(entries);
    return item['reason'] === 'silent' ? { ...renamed, reason: 'idle' } : renamed;
  });
}

/** The record of all calls of a session: a LOG slice, never rolled back. */
export const ToolCallLog: Slice<ToolInvokedPayload> = defineRecordSlice('weakincentives.tool-invocations', {
  event: ToolInvoked,
  fields: toolInvoked,
  exports: { version: 2, migrate: namesOfVersion2 },
});
