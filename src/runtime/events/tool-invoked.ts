import type { ShownSection } from '../../prompt/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import {
  append,
  defineSystemEvent,
  defineSystemSlice,
  type EventDefinition,
  on,
  type Slice,
} from '../../session/index.ts';
import type { TokenUsage } from '../../tool/index.ts';
import type { EventOrigin, RecordedError } from './event-origin.ts';
import {
  anything,
  flag,
  listOf,
  milliseconds,
  objectOf,
  recordedError,
  recordSchema,
  text,
  tokenUsage,
  wholeNumber,
} from './record-schema.ts';

/**
 * How a call ended for state and files.
 *
 * - `committed`: the handler succeeded and everything it changed is in place.
 * - `rolled-back`: the handler ran, or was about to, and nothing it changed is left.
 * - `denied`: a policy, or whoever was asked, refused; nothing is left.
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
 * - `denied`: a policy refused, or its check threw. `not-approved`: a policy asked and the answer was no, or nobody could be asked.
 * - `policy-failed`: a policy's `onResult` threw.
 * - `failed-result`: the handler returned a failure. `validation`: it threw `ToolValidationError`. `threw`: anything else.
 * - `not-a-result`: it returned something that is no `ToolResult`, or attachments that cannot be sent. `invalid-output`: its value breaks the output schema.
 *   `result-too-large`: the model would get more characters than it may.
 * - `timeout`: the tool's own `timeoutMs` passed. `dispose-failed`: a tool-call resource could not be disposed.
 * - `conflict`: what it had read changed three times. `commit-failed`: its changes did not fit the present state.
 * - `sections-opened`: the handler wanted sections to be opened first, and they were. `sections-not-opened`: they could not be.
 * - `aborted`, `deadline`, `budget`, `silent`: the run ended. `interrupted`: it ended the run itself.
 */
export type ToolCallFailureReason =
  | 'unknown-tool'
  | 'cut-off'
  | 'no-handler'
  | 'invalid-arguments'
  | 'effects-exceeded'
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
  | 'silent'
  | 'interrupted';

/** One file that a committed call changed. */
export interface RecordedChange {
  readonly path: string;
  readonly kind: 'created' | 'modified' | 'removed';
}

/** An image or a file that the model got with a result, without its data. */
export interface RecordedAttachment {
  readonly type: 'image' | 'file';
  readonly mediaType: string;
  readonly name?: string;
  /** Length of the data: of the base64 text, or of the address. */
  readonly characters: number;
}

/** A question of a policy that was put to whoever approves, and how it was answered. */
export interface RecordedApproval {
  readonly policy: string;
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  /** What the policy said. */
  readonly reason: string;
  /** What was to be approved: the call before it ran, or what it had changed. */
  readonly about: 'call' | 'changes';
  readonly approved: boolean;
  /** Why it was not approved, or that nobody could be asked. */
  readonly answer?: string;
}

/** What a policy would have done to a call that ran without enforcement. */
export interface ShadowFinding {
  readonly policy: string;
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  /** A check that throws, or comes to no decision, would have denied. */
  readonly outcome: 'deny' | 'ask';
  readonly reason: string;
}

/** What a feedback provider that was due after a call came to. */
export type RecordedFeedback = {
  readonly provider: string;
  /** When it was asked. */
  readonly atMs: number;
} & (
  | {
      /** The model reads it behind the text of the call. */
      readonly outcome: 'given';
      readonly severity: 'info' | 'caution' | 'warning';
      readonly message: string;
      readonly suggestions?: readonly string[];
    }
  | {
      /** It had nothing to say. */
      readonly outcome: 'silent';
    }
  | {
      /** It threw, or what it returned is no feedback. */
      readonly outcome: 'failed';
      readonly error: RecordedError;
    }
);

/** What happened in one tool call; recorded for every call, whatever its outcome. JSON-safe. */
export interface ToolInvokedPayload extends EventOrigin {
  readonly callId: string;
  readonly toolName: string;
  /** Number of the model turn that asked for the call, from 1. */
  readonly turn: number;
  /**
   * The arguments as they came over the wire, parsed; their text when they hold what could not come back from an export, such as a key `__proto__`;
   * absent when they were no JSON.
   */
  readonly params?: JsonValue;
  readonly success: boolean;
  readonly outcome: ToolCallOutcome;
  /** Present unless the call was committed. */
  readonly reason?: ToolCallFailureReason;
  /** The policy that refused, with outcome `denied`. */
  readonly policy?: string;
  /** Name of the prompt whose policy it is, where that is an outer one. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  readonly message: string;
  /** The value of the result; its JSON text when it holds what could not come back from an export. */
  readonly value?: JsonValue;
  /** The value as text, as the tool renders it; empty without a value. */
  readonly rendered: string;
  /** Exactly what the model reads, feedback included. */
  readonly modelText: string;
  /** The images and files that it got behind the text. Absent: none. */
  readonly attachments?: readonly RecordedAttachment[];
  readonly error?: RecordedError;
  /** How often the call was tried; above 1 it was re-run because of conflicts. 0: it was rejected, or the run ended, before that. */
  readonly attempts: number;
  /** What had changed under superseded attempts, in order: `file notes.md`, `slice findings`. */
  readonly conflicts: readonly string[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  /**
   * What a call that was not committed leaves in place, one line each: effects outside, resources that take no part in transactions,
   * resources that were committed before the commit broke off or that could not be rolled back. Absent when nothing can be left.
   */
  readonly standing?: readonly string[];
  /** Tokens that evaluations inside the call spent, in all its attempts; absent when there were none. */
  readonly usage?: TokenUsage;
  /** The files that the committed call changed, sorted by path. */
  readonly changes: readonly RecordedChange[];
  /** What was asked about the call, in order; in all attempts, since an answer is not asked for twice. Absent: nothing. */
  readonly approvals?: readonly RecordedApproval[];
  /** With `enforce: false`: what policies would have denied or asked in the last attempt. Absent: nothing. */
  readonly shadow?: readonly ShadowFinding[];
  /** Sections that the call opened, with those shown below them; the tools of the full ones can be called from the next turn on. Absent: none. */
  readonly openedSections?: readonly ShownSection[];
  /** The feedback providers that ran after the call, in order. Absent: none did. */
  readonly feedback?: readonly RecordedFeedback[];
}

/**
 * Dispatched once for every call, after it was committed or rolled back, in commit order.
 *
 * @see spec TOOLS "Runtime Dispatch" step 10
 */
export const ToolInvoked: EventDefinition<ToolInvokedPayload, ToolInvokedPayload> =
  defineSystemEvent<ToolInvokedPayload>('tool.invoked');

type FeedbackOutcome<Outcome> = Extract<RecordedFeedback, { readonly outcome: Outcome }>;
const asked = { provider: text, atMs: milliseconds };
const feedback = {
  anyOf: [
    objectOf<FeedbackOutcome<'given'>>({
      required: { ...asked, outcome: { const: 'given' }, severity: text, message: text },
      optional: { suggestions: listOf(text) },
    }),
    objectOf<FeedbackOutcome<'silent'>>({
      required: { ...asked, outcome: { const: 'silent' } },
      optional: {},
    }),
    objectOf<FeedbackOutcome<'failed'>>({
      required: { ...asked, outcome: { const: 'failed' }, error: recordedError },
      optional: {},
    }),
  ],
};
const toolInvoked = recordSchema<ToolInvokedPayload>({
  required: {
    callId: text,
    toolName: text,
    turn: wholeNumber,
    success: flag,
    outcome: text,
    message: text,
    rendered: text,
    modelText: text,
    attempts: wholeNumber,
    conflicts: listOf(text),
    startedAtMs: milliseconds,
    durationMs: milliseconds,
    changes: listOf(objectOf<RecordedChange>({ required: { path: text, kind: text }, optional: {} })),
  },
  optional: {
    params: anything,
    reason: text,
    policy: text,
    policyPrompt: text,
    value: anything,
    attachments: listOf(
      objectOf<RecordedAttachment>({
        required: { type: text, mediaType: text, characters: wholeNumber },
        optional: { name: text },
      }),
    ),
    error: recordedError,
    standing: listOf(text),
    usage: tokenUsage,
    approvals: listOf(
      objectOf<RecordedApproval>({
        required: { policy: text, reason: text, about: text, approved: flag },
        optional: { policyPrompt: text, answer: text },
      }),
    ),
    shadow: listOf(
      objectOf<ShadowFinding>({
        required: { policy: text, outcome: text, reason: text },
        optional: { policyPrompt: text },
      }),
    ),
    openedSections: listOf(
      objectOf<ShownSection>({ required: { section: text, visibility: text }, optional: {} }),
    ),
    feedback: listOf(feedback),
  },
});

/** The record of all calls of a session: a LOG slice, never rolled back. */
export const ToolInvocations: Slice<ToolInvokedPayload> = defineSystemSlice<ToolInvokedPayload>(
  'weakincentives.tool-invocations',
  {
    policy: 'log',
    reducers: [on(ToolInvoked, (_items, payload) => append(payload))],
    importSchema: toolInvoked,
  },
);
