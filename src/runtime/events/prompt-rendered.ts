import type { PromptDescriptor } from '../../prompt/index.ts';
import type { JsonSchema, JsonValue } from '../../schema/index.ts';
import {
  append,
  defineSystemEvent,
  defineSystemSlice,
  type EventDefinition,
  on,
  type Slice,
} from '../../session/index.ts';
import type { EventOrigin } from './event-origin.ts';
import { anyObject, listOf, milliseconds, objectOf, recordSchema, text } from './record-schema.ts';

/** A prompt as it was rendered for an evaluation. JSON-safe. */
export interface PromptRenderedPayload extends EventOrigin {
  readonly descriptor: PromptDescriptor;
  /** The params as they were bound, before any section parsed them; what is no JSON as JSON would write it. */
  readonly params: { readonly [name: string]: JsonValue };
  /** The instructions as the model gets them. */
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A tool as the model is told of it. */
export interface RenderedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema;
}

/** The tools that a rendered prompt gives the model. JSON-safe. */
export interface RenderedToolsPayload extends EventOrigin {
  /** `eventId` of the {@link PromptRendered} that they belong to. */
  readonly renderId: string;
  /** In order of declaration. */
  readonly tools: readonly RenderedTool[];
  /** Names of the hosted tools, in order of declaration. */
  readonly hostedTools: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** Rendered prompts that a session keeps the record of. */
const retained = 100;

/** Dispatched when the prompt of an evaluation was rendered, before the model is asked. */
export const PromptRendered: EventDefinition<PromptRenderedPayload, PromptRenderedPayload> =
  defineSystemEvent<PromptRenderedPayload>('prompt.rendered');

/** Dispatched right after {@link PromptRendered}, also when there are no tools. */
export const RenderedTools: EventDefinition<RenderedToolsPayload, RenderedToolsPayload> =
  defineSystemEvent<RenderedToolsPayload>('prompt.tools-rendered');

const descriptor = objectOf<PromptDescriptor>({
  required: { ns: text, key: text, name: text, sections: listOf(anyObject), tools: listOf(anyObject) },
  optional: {},
});
const renderedTool = objectOf<RenderedTool>({
  required: { name: text, description: text, inputSchema: anyObject },
  optional: {},
});

/** The last 100 {@link PromptRendered} of a session: a LOG slice, never rolled back. */
export const PromptRenderings: Slice<PromptRenderedPayload> = defineSystemSlice<PromptRenderedPayload>(
  'weakincentives.prompt-renderings',
  {
    policy: 'log',
    retain: retained,
    reducers: [on(PromptRendered, (_items, payload) => append(payload))],
    importSchema: recordSchema<PromptRenderedPayload>({
      required: { descriptor, params: anyObject, text, atMs: milliseconds },
      optional: {},
    }),
  },
);

/** The last 100 {@link RenderedTools} of a session: a LOG slice, never rolled back. */
export const ToolRenderings: Slice<RenderedToolsPayload> = defineSystemSlice<RenderedToolsPayload>(
  'weakincentives.tool-renderings',
  {
    policy: 'log',
    retain: retained,
    reducers: [on(RenderedTools, (_items, payload) => append(payload))],
    importSchema: recordSchema<RenderedToolsPayload>({
      required: {
        renderId: text,
        tools: listOf(renderedTool),
        hostedTools: listOf(text),
        atMs: milliseconds,
      },
      optional: {},
    }),
  },
);
