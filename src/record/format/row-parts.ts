import { present } from '../../core/internal/index.ts';
import type {
  BareEvent,
  CallPhases,
  PolicyAnswer,
  RecordedApproval,
  RecordedError,
  RecordedFeedback,
} from '../../core/runtime/index.ts';
import {
  amount,
  anyObject,
  count,
  described,
  type Field,
  type Fields,
  flag,
  type JsonObject,
  type JsonValue,
  json,
  list,
  number,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
  type VariantOf,
  variant,
} from '../../core/schema/index.ts';
import type { HostedTool, TokenUsage, ToolEffects } from '../../core/tool/index.ts';

/** A path of a file, below the root and in its canonical form. */
export const path: Field<string> = described(text, { format: 'path' });

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
  /** Where the next request is compared with this answer. */
  readonly responseId?: string;
}

export const raw: Field<RawPart> = record({
  provider: text,
  items: list(json<JsonValue>()),
  responseId: optional(text),
});

/** What a provider says of its prompt cache. */
export interface CacheReport {
  readonly hit: boolean;
  /** Tokens that could not be reused. */
  readonly missed?: number;
  readonly reason?: string;
}

export const cacheReport: Field<CacheReport> = record({
  hit: flag,
  missed: optional(amount),
  reason: optional(text),
});

const parts = list(part);

export const message: Field<JsonObject> = variant('type', {
  user: { content: parts, source: optional(text), sessionId: optional(text) },
  assistant: { content: parts, raw: optional(raw) },
  'tool-result': {
    callId: text,
    toolName: text,
    text,
    isError: optional(flag),
    attachments: optional(parts),
    loadedTools: optional(list(text)),
    value: optional(json()),
    feedback: optional(text),
  },
  approval: { approvalId: text, approved: flag, reason: optional(text) },
});

export const rowEdit = {
  at: count as Field<number>,
  remove: count as Field<number>,
  insert: list(message) as Field<readonly JsonObject[]>,
};

/** A replacement of some items of a conversation. */
export interface RowEdit extends RecordOf<typeof rowEdit> {}

const turn = count;
const ofCall = { turn, callId: text, toolName: text };

/** Of events that are not named only the type and the turn are used. */
export const event: Field<BareEvent> = variant(
  'type',
  {
    'tool-call-start': ofCall,
    'tool-call-progress': { ...ofCall, update: json() },
    'input-taken': { turn, ids: list(text), by: optional(text), text },
    'model-changed': { turn, from: text, to: text, reason: text, message: text },
    'model-call-retry': { turn, reason: text, delayMs: number, message: text },
    'output-rejected': { turn, repair: count, problem: text },
    'completion-checked': { turn, checker: text, outcome: text, feedback: optional(text) },
    'tool-results-dropped': { turn, callIds: list(text), characters: count },
    'turns-dropped': { turn, turns: count, callIds: list(text) },
    'context-compacted': {
      turn,
      turns: count,
      inputTokensBefore: amount,
      inputTokensAfter: amount,
      edits: list(record(rowEdit)),
    },
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
  { type: text, turn: optional(count) },
);

export const runPart = {
  /** Number of the evaluation, from 1; absent: the root run. */
  run: optional(count) as OptionalField<number>,
  /** Milliseconds after the start of the root run. */
  t: number as Field<number>,
  /** True when something in the row was redacted. */
  redacted: optional(flag) as OptionalField<true>,
};

/** What all rows that belong to a run have. */
export interface RunPart extends RecordOf<typeof runPart> {}

/** What tells a row from those of other types. */
export interface RowType<Type extends string> {
  readonly type: Type;
}

const contentReference = {
  hash: text as Field<string>,
  bytes: count as Field<number>,
  /** True when no blob holds it: it was too large, or contents are not kept. */
  omitted: optional(flag) as OptionalField<true>,
};

/** A content by its digest. */
export interface ContentReference extends RecordOf<typeof contentReference> {}

export const content: Field<ContentReference> = record(contentReference);

const steps = {
  append: { slice: text as Field<string>, items: list(json()) as Field<readonly JsonValue[]> },
  put: {
    slice: text as Field<string>,
    key: text as Field<string>,
    item: json() as Field<JsonValue>,
    toEnd: optional(flag) as OptionalField<true>,
  },
  remove: { slice: text as Field<string>, keys: list(text) as Field<readonly string[]> },
  clear: { slice: text as Field<string> },
};

/** A step of a STATE slice, or of a LOG slice that began anew. */
export type RecordedWrite = VariantOf<'op', typeof steps>;

const write: Field<RecordedWrite> = variant('op', steps);

const rowLog = {
  slice: text as Field<string>,
  items: list(json()) as Field<readonly JsonValue[]>,
};

/** Items at the end of a LOG slice. */
export interface RowLog extends RecordOf<typeof rowLog> {}

const log: Field<RowLog> = record(rowLog);

export const stateSteps = {
  writes: list(write) as Field<readonly RecordedWrite[]>,
  log: list(log) as Field<readonly RowLog[]>,
};

/** What was done to the state. */
export interface StateSteps extends RecordOf<typeof stateSteps> {}

const rowRead = {
  kind: text as Field<string>,
  what: text as Field<string>,
  path: optional(path) as OptionalField<string>,
  pattern: optional(text) as OptionalField<string>,
  slice: optional(text) as OptionalField<string>,
  key: optional(text) as OptionalField<string>,
  found: optional(text) as OptionalField<'file' | 'directory' | 'absent'>,
  content: optional(content) as OptionalField<ContentReference>,
};

/** What an attempt read. */
export interface RowRead extends RecordOf<typeof rowRead> {
  /** SHA-256 of what was found, in hexadecimal; only of a call whose changes wait for an answer. */
  readonly resultHash?: string;
}

export const rowFileChange = {
  path: path as Field<string>,
  kind: text as Field<'created' | 'modified' | 'removed'>,
  entry: text as Field<'file' | 'directory'>,
  before: optional(content) as OptionalField<ContentReference>,
  after: optional(content) as OptionalField<ContentReference>,
  from: optional(path) as OptionalField<string>,
  /** Permission bits, unless they are 0o644. */
  mode: optional(count) as OptionalField<number>,
  replacedMode: optional(count) as OptionalField<number>,
  /** The target of a symbolic link. */
  link: optional(text) as OptionalField<string>,
  replacedLink: optional(text) as OptionalField<string>,
  /** The outermost directory that was removed with the entry in it. */
  removedWith: optional(path) as OptionalField<string>,
};

/** One file, or one empty directory, that an attempt changed. */
export interface RowFileChange extends RecordOf<typeof rowFileChange> {}

const rowEvent = {
  name: text as Field<string>,
  policy: text as Field<'state' | 'log' | 'none'>,
  payload: json() as Field<JsonValue>,
};

/** A session event that an attempt dispatched. */
export interface RowEvent extends RecordOf<typeof rowEvent> {}

const donePart = {
  reads: list(record(rowRead)) as Field<readonly RowRead[]>,
  /** Images and files of the result. */
  attachments: optional(list(part)) as OptionalField<readonly JsonObject[]>,
  events: list(record(rowEvent)) as Field<readonly RowEvent[]>,
  files: list(record(rowFileChange)) as Field<readonly RowFileChange[]>,
  /** In a journal: what the library recorded of evaluations inside the call, in `log` of no row. */
  records: optional(list(log)) as OptionalField<readonly RowLog[]>,
};

/** What a call has done. */
export interface DonePart extends StateSteps, RecordOf<typeof donePart> {}

export const doneFields: Fields = { ...donePart, ...stateSteps };

export const attemptPart = {
  turn: count as Field<number>,
  callId: text as Field<string>,
  toolName: text as Field<string>,
  attempt: count as Field<number>,
  effects: optional(text) as OptionalField<ToolEffects>,
  /** The idempotency key of a call with effects outside that has begun. */
  key: optional(text) as OptionalField<string>,
  params: optional(json()) as OptionalField<JsonValue>,
  phases: phases as Field<CallPhases>,
  base: optional(count) as OptionalField<number>,
  /** Without those that allowed the call before it ran. */
  policies: list(policyAnswer) as Field<readonly PolicyAnswer[]>,
};

/** What one attempt did, whatever became of it. Times are milliseconds after the start of the root run. */
export interface AttemptPart extends RunPart, DonePart, RecordOf<typeof attemptPart> {}

export const attemptFields: Fields = { ...doneFields, ...attemptPart };

/** A change with its contents in another form. */
export function withContents<Change extends { readonly before?: From; readonly after?: From }, From, To>(
  { before, after, ...change }: Change & { readonly before?: From; readonly after?: From },
  formOf: (content: From) => To,
): Omit<Change, 'before' | 'after'> & { readonly before?: To; readonly after?: To } {
  return {
    ...change,
    ...present({
      before: before === undefined ? undefined : formOf(before),
      after: after === undefined ? undefined : formOf(after),
    }),
  };
}

/** Where an evaluation inside a call is. */
export const runParent = {
  /** Number of the outer run; absent: the root run. */
  run: optional(count) as OptionalField<number>,
  turn: count as Field<number>,
  callId: text as Field<string>,
  attempt: count as Field<number>,
  evaluation: count as Field<number>,
  policy: optional(text) as OptionalField<string>,
};

/** A hosted tool as rows hold it. */
export interface HostedToolPart extends Omit<HostedTool, 'type' | 'kind'> {
  readonly kind: HostedTool['type'];
  readonly hostedKind: HostedTool['kind'];
}

/** Rows keep the names that the members of a hosted tool had when the format was made. */
export function hostedToolPart({ type, kind, ...rest }: HostedTool): HostedToolPart {
  return { kind: type, hostedKind: kind, ...rest };
}
