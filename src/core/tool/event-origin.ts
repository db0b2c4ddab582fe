import { describeError, WinkError } from '../error/index.ts';
import { present, wellFormedText } from '../internal/index.ts';
import {
  amount,
  type Field,
  type Fields,
  type FieldsOf,
  list,
  type OptionalField,
  optional,
  type RecordOf,
  recordSchema,
  text,
} from '../schema/index.ts';
import { defineSystemSlice, type EventDefinition, type Slice } from '../session/index.ts';
import type { TokenUsage } from './prompt-response.ts';

const eventOrigin = {
  /** Names this event; from the id source of the evaluation. */
  eventId: text as Field<string>,
  /** The same in all session events of one evaluation; from the id source of the evaluation. */
  evaluationId: text as Field<string>,
  promptName: text as Field<string>,
  /** Name of the adapter. */
  adapter: text as Field<string>,
  sessionId: text as Field<string>,
  /** Ids of the calls that the evaluation runs inside of, outermost first; absent when it runs inside none. */
  parentCallIds: optional(list(text)) as OptionalField<readonly string[]>,
};

/** Where a session event of an evaluation comes from. */
export interface RecordOrigin extends RecordOf<typeof eventOrigin> {}

/** Makes the items of an earlier version of a slice into those of today. */
export type SliceMigration = (items: readonly unknown[], version: number) => readonly unknown[];

/** What the events of one evaluation have in common. */
export type EvaluationOrigin = Omit<RecordOrigin, 'eventId'>;

/** A LOG slice that keeps the payloads of one kind of session event. Never rolled back. */
export function defineRecordSlice<Payload extends RecordOrigin>(
  name: string,
  options: {
    readonly event: EventDefinition<Payload, Payload>;
    /** Those of the payload beside the origin. */
    readonly fields: Fields;
    /** How many items are kept. Default: all. */
    readonly retain?: number | undefined;
    /** Version of the items in exports, and what makes items of an earlier one into those of today. Default: version 1. */
    readonly exports?: { readonly version: number; readonly migrate: SliceMigration };
  },
): Slice<Payload> {
  const { event, fields, retain, exports } = options;
  return defineSystemSlice<Payload>({
    name,
    policy: 'log',
    ...present({ retain }),
    ...exports,
    reducers: (on) => [on(event, (items, payload) => items.append(payload))],
    importSchema: recordSchema({ ...eventOrigin, ...fields }),
  });
}

/** The fields of {@link TokenUsage}. */
export const tokenUsage: FieldsOf<TokenUsage> = {
  inputTokens: optional(amount),
  outputTokens: optional(amount),
  cachedInputTokens: optional(amount),
  cacheWriteInputTokens: optional(amount),
  longCacheWriteInputTokens: optional(amount),
  reasoningTokens: optional(amount),
};

export const recordedError = {
  name: text as Field<string>,
  message: text as Field<string>,
  code: optional(text) as OptionalField<string>,
};

/** An error as it is recorded: JSON-safe, without stack. */
export interface RecordedError extends RecordOf<typeof recordedError> {}

/** An error as records keep it. Never throws: errors are made by code of others, and their fields may be anything. */
export function recordError(error: unknown): RecordedError {
  const message = wellFormedText(describeError(error));
  try {
    if (!(error instanceof Error)) return { name: typeof error, message };
    const { name: given }: { readonly name: unknown } = error;
    const name = typeof given === 'string' ? given : 'Error';
    return WinkError.isInstance(error) && typeof error.code === 'string'
      ? { name, message, code: error.code }
      : { name, message };
  } catch {
    return { name: 'Error', message };
  }
}
