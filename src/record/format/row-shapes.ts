import type {
  BareEvent,
  CallPhases,
  PolicyAnswer,
  RecordedApproval,
  RecordedError,
  RecordedFeedback,
} from '../../core/runtime/index.ts';
import {
  anyObject,
  type Field,
  flag,
  type JsonObject,
  type JsonValue,
  json,
  list,
  number,
  optional,
  record,
  text,
  variant,
} from '../../core/schema/index.ts';
import type { TokenUsage } from '../../core/tool/index.ts';

// What rows hold of types that other folders declare, as far as code relies on it.

export const recordedError: Field<RecordedError> = record({
  name: text,
  message: text,
  code: optional(text),
});
export const usage: Field<TokenUsage> = anyObject();

export const phases: Field<CallPhases> = record({
  requestedAtMs: number,
  startedAtMs: optional(number),
  handlerStartedAtMs: optional(number),
  handlerEndedAtMs: optional(number),
  endedAtMs: optional(number),
  settledAtMs: number,
  approvals: list(record({ fromMs: number, toMs: number })),
});

const decision = { policy: text, policyPrompt: optional(text) };

export const policyAnswer: Field<PolicyAnswer> = record({
  ...decision,
  about: text as Field<PolicyAnswer['about']>,
  outcome: text as Field<PolicyAnswer['outcome']>,
  reason: optional(text),
}) as Field<PolicyAnswer>;

export const approval: Field<RecordedApproval> = record({
  ...decision,
  reason: text,
  about: text as Field<RecordedApproval['about']>,
  approved: flag,
  answer: optional(text),
});

export const feedback: Field<RecordedFeedback> = variant('outcome', {
  given: { provider: text, severity: text, message: text, suggestions: optional(list(text)) },
  silent: { provider: text },
  failed: { provider: text, error: recordedError },
});

const said = { text };
const media = { mediaType: text, data: text, name: optional(text) };

export const part: Field<JsonObject> = variant('type', {
  text: said,
  reasoning: said,
  'tool-call': { callId: text, name: text, arguments: text },
  'approval-request': { approvalId: text, toolName: text, name: text, arguments: text },
  image: media,
  file: media,
});

/** What a provider made of an answer. */
export interface RawPart {
  readonly provider: string;
  readonly items: readonly JsonValue[];
}

export const raw: Field<RawPart> = record({ provider: text, items: list(json<JsonValue>()) });

const content = list(part);

export const message: Field<JsonObject> = variant('type', {
  user: { content },
  assistant: { content, raw: optional(raw) },
  'tool-result': {
    callId: text,
    toolName: text,
    text,
    isError: optional(flag),
    attachments: optional(content),
  },
  approval: { approvalId: text, approved: flag, reason: optional(text) },
});

const turn = number;
const ofCall = { turn, callId: text, toolName: text };

/** Of events that are not named only the type and the turn are used. */
export const event: Field<BareEvent> = variant(
  'type',
  {
    'tool-call-start': ofCall,
    'tool-call-progress': { ...ofCall, update: json() },
    'model-call-retry': { turn, reason: text, delayMs: number, message: text },
    'output-rejected': { turn, repair: number, problem: text },
    'completion-checked': { turn, checker: text, outcome: text, feedback: optional(text) },
    'tool-results-dropped': { turn, callIds: list(text), characters: number },
    'turns-dropped': { turn, turns: number, callIds: list(text) },
    'budget-exceeded': { turn, limit: text, value: number, maximum: number },
    'policy-unenforced': { ...ofCall, policy: text, outcome: text, reason: text },
    'hosted-tool-called': { turn, toolName: text },
    'hosted-approval-answered': {
      turn,
      toolName: text,
      name: text,
      approved: flag,
      reason: optional(text),
    },
  },
  { type: text, turn: optional(number) },
);
