/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields of records name their types: isolatedDeclarations wants them written down. */
import {
  count,
  type Field,
  type JsonValue,
  json,
  milliseconds,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
} from '../../schema/index.ts';
import { defineSystemEvent, type EventDefinition, type Slice } from '../../session/index.ts';
import type { FinishReason, TokenUsage } from '../../tool/index.ts';
import {
  defineRecordSlice,
  type RecordedError,
  type RecordOrigin,
  recordedError,
  tokenUsage,
} from './event-origin.ts';
import type { EvaluationPhase } from './prompt-evaluation-error.ts';

const executed = {
  /** `eventId` of its first `PromptRendered`; absent when it ended before that. */
  renderId: optional(text) as OptionalField<string>,
  outcome: text as Field<'finished' | 'failed'>,
  /** The model's final text; absent when it failed, and when the loop was not the library's (`openToolRuntime()`). */
  text: optional(text) as OptionalField<string>,
  /** The structured answer as the model wrote it; absent when it failed, or none was asked for. */
  output: optional(json()) as OptionalField<JsonValue>,
  /** Why the model stopped; absent where `text` is. */
  finishReason: optional(text) as OptionalField<FinishReason>,
  /** What ended it early, and where; absent when it finished. */
  error: optional(record({ ...recordedError, phase: optional(text) })) as OptionalField<
    RecordedError & { readonly phase?: EvaluationPhase }
  >,
  /** Sum over all turns, and over the evaluations inside its tool calls, which have events of their own. */
  usage: record(tokenUsage) as Field<TokenUsage>,
  /** How often the model was asked; in a tool runtime, how many turns of calls were run. */
  turns: count as Field<number>,
  /** Milliseconds since the Unix epoch. */
  startedAtMs: milliseconds as Field<number>,
  durationMs: milliseconds as Field<number>,
};

/** How an evaluation came out. JSON-safe. */
export interface PromptExecutedPayload extends RecordOrigin, RecordOf<typeof executed> {}

/** Dispatched once for every evaluation that held its session, however it ended, as its last session event. */
export const PromptExecuted: EventDefinition<PromptExecutedPayload, PromptExecutedPayload> =
  defineSystemEvent<PromptExecutedPayload>('weakincentives.prompt-executed');

/** The last 1,000 {@link PromptExecuted} of a session: a LOG slice, never rolled back. */
export const PromptExecutionLog: Slice<PromptExecutedPayload> = defineRecordSlice(
  'weakincentives.prompt-executions',
  { event: PromptExecuted, fields: executed, retain: 1_000 },
);
