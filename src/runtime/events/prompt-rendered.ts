/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields of records name their types: isolatedDeclarations wants them written down. */
import type { PromptDescriptor } from '../../prompt/index.ts';
import type { JsonSchema, JsonValue } from '../../schema/index.ts';
import { defineSystemEvent, type EventDefinition, type Slice } from '../../session/index.ts';
import { defineRecordSlice, type RecordOrigin } from './event-origin.ts';
import {
  anyObject,
  type Field,
  type FieldsOf,
  list,
  milliseconds,
  type RecordOf,
  record,
  text,
} from './record-fields.ts';

const descriptor: FieldsOf<PromptDescriptor> = {
  ns: text,
  key: text,
  name: text,
  sections: list(anyObject()),
  tools: list(anyObject()),
};

const rendered = {
  descriptor: record(descriptor) as Field<PromptDescriptor>,
  /** The params as they were bound, before any section parsed them; anything but JSON as JSON.stringify would write it. */
  params: anyObject() as Field<{ readonly [name: string]: JsonValue }>,
  /** The instructions as the model gets them. */
  text: text as Field<string>,
  /** Milliseconds since the Unix epoch. */
  atMs: milliseconds as Field<number>,
};

/** A prompt as it was rendered for an evaluation. JSON-safe. */
export interface PromptRenderedPayload extends RecordOrigin, RecordOf<typeof rendered> {}

const renderedTool = {
  name: text as Field<string>,
  description: text as Field<string>,
  /** JSON Schema of the arguments. */
  inputSchema: anyObject() as Field<JsonSchema>,
};

/** A tool as it is offered to the model. */
export interface RenderedTool extends RecordOf<typeof renderedTool> {}

const renderedTools = {
  /** `eventId` of the {@link PromptRendered} that they belong to. */
  renderId: text as Field<string>,
  /** In order of declaration. */
  tools: list(record(renderedTool)) as Field<readonly RenderedTool[]>,
  /** Names of the hosted tools, in order of declaration. */
  hostedTools: list(text) as Field<readonly string[]>,
  /** Milliseconds since the Unix epoch. */
  atMs: milliseconds as Field<number>,
};

/** The tools that a rendered prompt gives the model. JSON-safe. */
export interface ToolsRenderedPayload extends RecordOrigin, RecordOf<typeof renderedTools> {}

/** Dispatched when the prompt of an evaluation was rendered, before the model is asked. */
export const PromptRendered: EventDefinition<PromptRenderedPayload, PromptRenderedPayload> =
  defineSystemEvent<PromptRenderedPayload>('weakincentives.prompt-rendered');

/** Dispatched right after {@link PromptRendered}, also when there are no tools. */
export const ToolsRendered: EventDefinition<ToolsRenderedPayload, ToolsRenderedPayload> =
  defineSystemEvent<ToolsRenderedPayload>('weakincentives.tools-rendered');

/** The last 100 {@link PromptRendered} of a session: a LOG slice, never rolled back. */
export const PromptRenderingLog: Slice<PromptRenderedPayload> = defineRecordSlice(
  'weakincentives.prompt-renderings',
  { event: PromptRendered, fields: rendered, retain: 100 },
);

/** The last 100 {@link ToolsRendered} of a session: a LOG slice, never rolled back. */
export const ToolRenderings: Slice<ToolsRenderedPayload> = defineRecordSlice(
  'weakincentives.tool-renderings',
  { event: ToolsRendered, fields: renderedTools, retain: 100 },
);
