import {
  count,
  type Field,
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
} from '../../core/schema/index.ts';
import type { OuterToolCall } from '../../core/tool/index.ts';
import { type DonePart, doneFields, message, type RowType, type RunPart } from './row-parts.ts';

export const beginRow = {
  turn: count as Field<number>,
  callId: text as Field<string>,
  toolName: text as Field<string>,
  attempt: count as Field<number>,
  /** The idempotency key of the call. */
  key: optional(text) as OptionalField<string>,
  /** The arguments of the model as parsed JSON, as the row of the call has them: the schema of the tool makes of them what the handler gets. */
  params: optional(json()) as OptionalField<JsonValue>,
  /** The tool says that its calls may be made again: such a call is never in doubt. */
  idempotent: optional(flag) as OptionalField<true>,
};

/** In a journal: the handler of a call is about to begin, one with effects outside or one that an interruption has cut off, or resources are about to be committed. */
export interface BeginRow extends RowType<'begin'>, RunPart, RecordOf<typeof beginRow> {
  /** The call can be made again: without a result it is not in doubt. Absent: it is. */
  readonly again?: true;
}

export const lifeRow = {
  /** Milliseconds since the Unix epoch. */
  atMs: number as Field<number>,
  /** `begun`: a process begins to work on the run after another one. `over`: it has ended without continuing from the rows. */
  kind: text as Field<'begun' | 'over'>,
};

/** In a journal: a life of the run after its first one. A life that has neither a row `end` nor one of the kind `over` was interrupted. */
export interface LifeRow extends RowType<'life'>, RunPart, RecordOf<typeof lifeRow> {
  /** Who does not know rows of this type does not know what the run is. */
  readonly must: true;
}

export const inputRow = {
  /** The turn before which it was said. */
  turn: count as Field<number>,
  items: list(message) as Field<readonly JsonObject[]>,
  /** Names of the messages that the items are, one each. Absent: it was said when the run was resumed. */
  ids: optional(list(text)) as OptionalField<readonly string[]>,
  /** Who has said them. Absent: not said. */
  by: optional(text) as OptionalField<string>,
};

/** In a journal: what people said to the run while it ran, or when it was resumed. */
export interface InputRow extends RowType<'input'>, RunPart, RecordOf<typeof inputRow> {}

/** What a call has done whose changes wait for an answer. */
export interface StagedPart extends DonePart {
  readonly message: string;
  readonly value?: JsonValue;
  /** Whether the model does not get the value. */
  readonly excludesValue?: true;
}

const pendingQuestion = {
  id: text as Field<string>,
  digest: text as Field<string>,
  turn: count as Field<number>,
  callId: text as Field<string>,
  toolName: text as Field<string>,
  /** Identifies the call. */
  key: text as Field<string>,
  /** The outer calls, outermost first; absent for a call of the run itself. */
  path: optional(list(record({ callId: text, toolName: text }))) as OptionalField<readonly OuterToolCall[]>,
  attempt: count as Field<number>,
  params: json() as Field<JsonValue>,
  policy: text as Field<string>,
  policyPrompt: optional(text) as OptionalField<string>,
  reason: text as Field<string>,
  /** Milliseconds since the Unix epoch. */
  askedAtMs: number as Field<number>,
  expiresAtMs: optional(number) as OptionalField<number>,
  /** Absent when the handler has not run yet. */
  staged: optional(record({ ...doneFields, message: text })) as OptionalField<StagedPart>,
};

/** A question that waits for an answer. */
export interface PendingQuestion extends RecordOf<typeof pendingQuestion> {}

const question: Field<PendingQuestion> = record(pendingQuestion);

export const pendingRow = { questions: list(question) as Field<readonly PendingQuestion[]> };

/** In a journal: the run ends with questions. */
export interface PendingRow extends RowType<'pending'>, RunPart, RecordOf<typeof pendingRow> {}

export const questionRow = { question: question as Field<PendingQuestion> };

/** In a journal: someone is asked while the run continues. */
export interface QuestionRow extends RowType<'question'>, RunPart, RecordOf<typeof questionRow> {}

export const answerRow = {
  id: text as Field<string>,
  digest: text as Field<string>,
  approved: flag as Field<boolean>,
  /** Who answered. */
  by: optional(text) as OptionalField<string>,
  note: optional(text) as OptionalField<string>,
  /** Milliseconds since the Unix epoch. */
  atMs: number as Field<number>,
};

/** In a journal: a question was answered. */
export interface AnswerRow extends RowType<'answer'>, RunPart, RecordOf<typeof answerRow> {}

export const cancelledRow = {
  /** Milliseconds since the Unix epoch: when it was said. */
  atMs: number as Field<number>,
  /** Who cancelled the run. */
  by: optional(text) as OptionalField<string>,
  reason: optional(text) as OptionalField<string>,
};

/** In a journal: the run was ended for good, without an answer. A reader must know it: the run is not to continue. */
export interface CancelledRow extends RowType<'cancelled'>, RunPart, RecordOf<typeof cancelledRow> {
  readonly must: true;
}

export const resumedRow = {
  atMs: number as Field<number>,
  /** The turn that it continues in. */
  turn: count as Field<number>,
  /** What is not as it was when the run was recorded, by name. */
  changed: list(text) as Field<readonly string[]>,
};

/** In a journal: the run continues here after it was interrupted, or had ended without an answer. */
export interface ResumedRow extends RowType<'resumed'>, RunPart, RecordOf<typeof resumedRow> {}
