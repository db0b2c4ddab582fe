import { type JsonObject, jsonSchema, type Schema } from '../../schema/index.ts';
import type { TokenUsage } from '../../tool/index.ts';
import type { EventOrigin, RecordedError } from './event-origin.ts';

type OptionalName<T> = {
  [Name in keyof T]-?: Readonly<Record<never, never>> extends Pick<T, Name> ? Name : never;
}[keyof T];

/** The JSON Schemas of the fields of a record: the compiler sees that none is forgotten. */
export interface RecordShape<T> {
  readonly required: { readonly [Name in Exclude<keyof T, OptionalName<T>>]: JsonObject };
  readonly optional: { readonly [Name in OptionalName<T>]: JsonObject };
}

/** What is kept of evaluations comes back from exports, and they may come from anywhere. */
export function recordSchema<T extends EventOrigin>({
  required,
  optional,
}: RecordShape<Omit<T, keyof EventOrigin>>): Schema<T, T> {
  return jsonSchema<T>(
    objectOf<EventOrigin>({
      required: {
        eventId: text,
        evaluationId: text,
        promptName: text,
        adapter: text,
        sessionId: text,
        ...required,
      },
      optional: { parentCallIds: listOf(text), ...optional },
    }),
  );
}

/** An object with these fields and no others. */
export function objectOf<T>({ required, optional }: RecordShape<T>): JsonObject {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

/** A list of such items. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** Also for words of the library, since a later version may have more of them. */
export const text: JsonObject = { type: 'string' };
export const wholeNumber: JsonObject = { type: 'integer', minimum: 0 };
export const flag: JsonObject = { type: 'boolean' };
/** A number of milliseconds, or a point in time. */
export const milliseconds: JsonObject = { type: 'number' };
/** An object of somebody else's. */
export const anyObject: JsonObject = { type: 'object', additionalProperties: true };
/** Whatever JSON can hold. */
export const anything: JsonObject = { additionalProperties: true };

const count: JsonObject = { type: 'number', minimum: 0 };
export const tokenUsage: JsonObject = objectOf<TokenUsage>({
  required: {},
  optional: {
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    cacheWriteInputTokens: count,
    reasoningTokens: count,
  },
});

const errorShape: RecordShape<RecordedError> = {
  required: { name: text, message: text },
  optional: { code: text },
};
export const recordedError: JsonObject = objectOf<RecordedError>(errorShape);
/** The error of an evaluation names the phase, too. */
export const evaluationError: JsonObject = objectOf<RecordedError & { readonly phase?: string }>({
  ...errorShape,
  optional: { ...errorShape.optional, phase: text },
});
