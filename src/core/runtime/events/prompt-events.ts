import type { PromptDescriptor } from '../../prompt/index.ts';
import {
  anyObject,
  count,
  type Field,
  type FieldsOf,
  type JsonSchema,
  type JsonValue,
  json,
  list,
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
} from '../../tool/index.ts';
import type { EvaluationPhase } from './prompt-evaluation-error.ts';

const descriptor: FieldsOf<PromptDescriptor> = {
  ns: text,
  key: text,
  name: text,
  sections: list(anyObject()),
  tools: list(anyObject()),
};

const renderedTool = {
  name: text as Field<string>,
  description: text as Field<string>,
  /** JSON Schema of the arguments. */
  inputSchema: anyObject() as Field<JsonSchema>,
};

/** A tool as it is offered to the model. */
export interface RenderedTool extends RecordOf<typeof renderedTool> {}

const rendered = {
  descriptor: record(descriptor) as Field<PromptDescriptor>,
  /** The params as they were bound, before any section parsed them; anything but JSON as JSON.stringify would write it. */
  params: anyObject() as Field<{ readonly [name: string]: JsonValue }>,
  /** The instructions as the model gets them. */
  text: text as Field<string>,
  /** The tools that the prompt gives the model, in order of declaration. Absent: recorded by version 0.1. */
  tools: optional(list(record(renderedTool))) as OptionalField<
    readonly { [Name in keyof RenderedTool]: RenderedTool[Name] }[]
  >,
  /** Names of the hosted tools, in order of declaration. Absent: recorded by version 0.1. */
  hostedTools: optional(list(text)) as OptionalField<readonly string[]>,
  /** Kinds of the provider tools that the model gets in the place of some of `tools`, such as `openai.shell`. Absent: none. */
  providerTools: optional(list(text)) as OptionalField<readonly string[]>,
  /** Milliseconds since the Unix epoch. */
  atMs: milliseconds as Field<number>,
};

/** A prompt as it was rendered for an evaluation. JSON-safe. */
export interface PromptRenderedPayload extends RecordOrigin, RecordOf<typeof rendered> {}

/** Dispatched when the prompt of an evaluation was rendered, before the model is asked. */
export const PromptRendered: EventDefinition<PromptRenderedPayload, PromptRenderedPayload> =
  defineSystemEvent<PromptRenderedPayload>('weakincentives.prompt-rendered');

/** The last 100 {@link PromptRendered} of a session: a LOG slice, never rolled back. */
export const PromptRenderingLog: Slice<PromptRenderedPayload> = defineRecordSlice(
  'weakincentives.prompt-renderings',
  { event: PromptRendered, fields: rendered, retain: 100 },
);

const renderedTools = {
  /** `eventId` of the {@link PromptRendered} that they belong to. */
  renderId: text as Field<string>,
  tools: list(record(renderedTool)) as Field<readonly RenderedTool[]>,
  hostedTools: list(text) as Field<readonly string[]>,
  atMs: milliseconds as Field<number>,
};

interface ToolsRenderedPayload extends RecordOrigin, RecordOf<typeof renderedTools> {}

/**
 * What version 0.1 kept of the tools of rendered prompts. Nothing is added to it: exports and journals of that version hold the slice.
 */
export const ToolRenderings: Slice<ToolsRenderedPayload> = defineRecordSlice(
  'weakincentives.tool-renderings',
  {
    event: defineSystemEvent<ToolsRenderedPayload>('weakincentives.tools-rendered'),
    fields: renderedTools,
    retain: 100,
  },
);

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
