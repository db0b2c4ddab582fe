import type {
  BareEvent,
  RecordedError,
  RecordedFeedback,
  ToolInvokedPayload,
} from '../../core/runtime/index.ts';
import {
  amount,
  anyObject,
  count,
  type Field,
  type Fields,
  flag,
  type JsonObject,
  type JsonValue,
  list,
  number,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
} from '../../core/schema/index.ts';
import type { ObservedSlice } from '../../core/session/index.ts';
import type { FinishReason, TokenUsage } from '../../core/tool/index.ts';
import { type HeaderRow, headerRow, type RunHeader, runHeader } from './header-row.ts';
import {
  type AnswerRow,
  answerRow,
  type BeginRow,
  beginRow,
  type CancelledRow,
  cancelledRow,
  type InputRow,
  inputRow,
  type LifeRow,
  lifeRow,
  type PendingRow,
  pendingRow,
  type QuestionRow,
  questionRow,
  type ResumedRow,
  resumedRow,
} from './journal-rows.ts';
import {
  type AttemptPart,
  approval,
  attemptFields,
  type CacheReport,
  type ContentReference,
  cacheReport,
  content,
  event,
  feedback,
  part,
  path,
  type RawPart,
  type RowEdit,
  type RowType,
  type RunPart,
  raw,
  recordedError,
  rowEdit,
  runParent,
  type StateSteps,
  stateSteps,
  usage,
} from './row-parts.ts';

const blobRow = {
  /** SHA-256 in hexadecimal, of the bytes; for a text of its UTF-8. */
  hash: text as Field<string>,
};

/** A text, or bytes, that other rows refer to. It comes before the first row that does. */
export interface BlobRow extends RowType<'blob'>, RecordOf<typeof blobRow> {
  readonly text?: string;
  readonly base64?: string;
}

/** An evaluation inside a call begins. */
export interface RunRow extends RowType<'run'>, RunPart, RunHeader {
  readonly run: number;
  readonly parent: RecordOf<typeof runParent>;
}

const sliceRow = {
  name: text,
  policy: text,
  isKeyed: flag,
  version: optional(count),
  retain: optional(count),
};

/** A slice of the session, before the first row that names it. */
export interface SliceRow extends RowType<'slice'>, ObservedSlice {
  readonly t: number;
}

const stateRow = { kind: text as Field<'start' | 'change'> };

/** State that no call wrote. */
export interface StateRow extends RowType<'state'>, RunPart, StateSteps, RecordOf<typeof stateRow> {}

const seenRow = {
  path: path as Field<string>,
  found: text as Field<'file' | 'directory' | 'absent'>,
  content: optional(content) as OptionalField<ContentReference>,
  /** The names in a directory that was listed. */
  names: optional(list(text)) as OptionalField<readonly string[]>,
};

/** What the run found at a path before it changed anything there; once for each path, and once more for a listing. */
export interface SeenRow extends RowType<'seen'>, RunPart, RecordOf<typeof seenRow> {}

const requestTokens = {
  instructions: amount as Field<number>,
  tools: amount as Field<number>,
  conversation: amount as Field<number>,
  /** Of what is new in the conversation. */
  added: amount as Field<number>,
};

/** Estimated tokens of the parts of a request. */
export interface RequestTokens extends RecordOf<typeof requestTokens> {}

const requestRow = {
  turn: count as Field<number>,
  instructions: text as Field<string>,
  /** The JSON text of the list of tools, so that it can be one reference. */
  tools: text as Field<string>,
  hostedTools: optional(list(anyObject())) as OptionalField<readonly JsonObject[]>,
  settings: anyObject() as Field<JsonObject>,
  /** The JSON text of the schema. */
  outputSchema: optional(text) as OptionalField<string>,
  edits: list(record(rowEdit)) as Field<readonly RowEdit[]>,
  length: count as Field<number>,
  tokens: record(requestTokens) as Field<RequestTokens>,
};

/** A request as the model got it, as a difference from the one before. */
export interface RequestRow extends RowType<'request'>, RunPart, RecordOf<typeof requestRow> {
  readonly toolChoice: JsonValue;
}

export const responseAnswer = {
  durationMs: number as Field<number>,
  timeToFirstPieceMs: optional(number) as OptionalField<number>,
  content: optional(list(part)) as OptionalField<readonly JsonObject[]>,
  /** The provider's own items, which go back to it unchanged. */
  raw: optional(raw) as OptionalField<RawPart>,
  /** What hosted tools found. */
  hosted: optional(list(anyObject())) as OptionalField<readonly JsonObject[]>,
  hasFiles: optional(flag) as OptionalField<boolean>,
  /** The provider shortened the conversation. */
  isCompacted: optional(flag) as OptionalField<boolean>,
  /** What the provider says of its prompt cache. */
  cache: optional(cacheReport) as OptionalField<CacheReport>,
  /** Name of the model that answered, in a run that has several. */
  answeredBy: optional(text) as OptionalField<string>,
  finishReason: optional(text) as OptionalField<FinishReason>,
  usage: optional(usage) as OptionalField<TokenUsage>,
  responseId: optional(text) as OptionalField<string>,
  responseModel: optional(text) as OptionalField<string>,
  /** The service tier that the answer was served in. */
  serviceTier: optional(text) as OptionalField<string>,
  /** The model gave no answer. */
  error: optional(recordedError) as OptionalField<RecordedError>,
};

/** What the model answered, or why it did not. */
export interface ResponseAnswer extends RecordOf<typeof responseAnswer> {}

const responseRow = { turn: count as Field<number>, ...responseAnswer };

/** The answer of a turn. */
export interface ResponseRow extends RowType<'response'>, RunPart, ResponseAnswer {
  readonly turn: number;
}

/** Members of a call's record that its row, or the header, says already. */
export const saidElsewhere = [
  'eventId',
  'evaluationId',
  'promptName',
  'adapter',
  'sessionId',
  'parentCallIds',
  'callId',
  'toolName',
  'turn',
  'params',
  'rendered',
  'changes',
  'success',
  'attempts',
  'startedAtMs',
] as const;

/** How a call ended, without what its row says already. */
export type RowResult = Omit<ToolInvokedPayload, (typeof saidElsewhere)[number]>;

const result: Field<RowResult> = record({
  outcome: text as Field<RowResult['outcome']>,
  message: text,
  modelText: text,
  once: optional(text),
  reason: optional(text),
  policy: optional(text),
  error: optional(recordedError),
  usage: optional(usage),
  feedback: optional(list(feedback)),
  approvals: optional(list(approval)),
  residualEffects: optional(list(text)),
  openedSections: optional(list(record({ section: text }))),
}) as Field<RowResult>;

const commitRow = {
  /** Number of the commit on the root session; absent inside another call. */
  seq: optional(count) as OptionalField<number>,
  result: result as Field<RowResult>,
};

/** A call that was committed. */
export interface CommitRow extends RowType<'commit'>, AttemptPart, RecordOf<typeof commitRow> {}

const rowConflict = {
  what: text as Field<string>,
  /** Numbers of the commits that changed it; empty: it was changed from outside, or by what cannot be named. */
  by: list(count) as Field<readonly number[]>,
};

/** What an attempt had read and others changed. */
export interface RowConflict extends RecordOf<typeof rowConflict> {}

const attemptRow = {
  why: text as Field<'superseded' | 'failed'>,
  conflicts: list(record(rowConflict)) as Field<readonly RowConflict[]>,
  /** Absent when it was superseded. */
  result: optional(result) as OptionalField<RowResult>,
};

/** An attempt that was not committed. */
export interface AttemptRow extends RowType<'attempt'>, AttemptPart, RecordOf<typeof attemptRow> {}

const deliveredRow = {
  turn: count as Field<number>,
  callId: text as Field<string>,
  /** What the model reads, with the feedback. Absent: what the row of the call says. */
  modelText: optional(text) as OptionalField<string>,
  /** What the model reads is an excerpt: all of it is what the row of the call says. */
  resultId: optional(text) as OptionalField<string>,
  /** Absent: none was asked for. */
  feedback: optional(list(feedback)) as OptionalField<readonly RecordedFeedback[]>,
};

/**
 * A call was delivered after its commit, to subscribers, feedback providers and the model. A record has it for calls that feedback was added to, or
 * that the model has read an excerpt of, a journal for all.
 */
export interface DeliveredRow extends RowType<'delivered'>, RunPart, RecordOf<typeof deliveredRow> {}

const eventRow = { event: event as Field<BareEvent> };

/** A run event that no other row represents. */
export interface EventRow extends RowType<'event'>, RunPart, RecordOf<typeof eventRow> {}

const endRow = {
  outcome: text as Field<'finished' | 'failed' | 'suspended'>,
  turns: count as Field<number>,
  usage: usage as Field<TokenUsage>,
  text: optional(text) as OptionalField<string>,
  error: optional(recordedError) as OptionalField<RecordedError>,
};

/** A run ended. */
export interface EndRow extends RowType<'end'>, RunPart, RecordOf<typeof endRow> {
  readonly output?: JsonValue;
}

/** One row of a record; `wink-run/1` is one of them on each line, as JSON. */
export type Row =
  | HeaderRow
  | BlobRow
  | RunRow
  | SliceRow
  | StateRow
  | SeenRow
  | RequestRow
  | ResponseRow
  | CommitRow
  | AttemptRow
  | DeliveredRow
  | BeginRow
  | PendingRow
  | QuestionRow
  | AnswerRow
  | CancelledRow
  | ResumedRow
  | InputRow
  | LifeRow
  | EventRow
  | EndRow;

/** A row of one type: `RowOf<'commit'>`. */
export type RowOf<Type extends Row['type']> = Extract<Row, { readonly type: Type }>;

/** What rows of each type hold, as far as code relies on it. */
export const rowFields: { readonly [Type in Row['type']]: Fields } = {
  header: { ...runHeader, ...headerRow },
  blob: blobRow,
  run: { ...runHeader, run: count, parent: record(runParent) },
  slice: sliceRow,
  state: { ...stateSteps, ...stateRow },
  seen: seenRow,
  request: requestRow,
  response: responseRow,
  commit: { ...attemptFields, ...commitRow },
  attempt: { ...attemptFields, ...attemptRow },
  delivered: deliveredRow,
  begin: beginRow,
  pending: pendingRow,
  question: questionRow,
  answer: answerRow,
  cancelled: cancelledRow,
  resumed: resumedRow,
  input: inputRow,
  life: lifeRow,
  event: eventRow,
  end: endRow,
};
