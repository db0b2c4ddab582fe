import {
  type AnyTool,
  defineEvent,
  defineSlice,
  type EventDefinition,
  type Prompt,
  promptTemplate,
  type Slice,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedToolCall, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** A state slice that counts, for what tools change. */
export const Added: EventDefinition<{ by: number }, { by: number }> = defineEvent({
  name: 'added',
  schema: z.object({ by: z.number() }),
});
export const Count: Slice<{ total: number }> = defineSlice({
  name: 'count',
  schema: z.object({ total: z.number() }),
  reducers: (on) => [
    on(Added, (items, { by }) => items.replace([{ total: (items.latest()?.total ?? 0) + by }])),
  ],
});

/** Adds one to the count. */
export const add: AnyTool = tool({
  name: 'add',
  description: 'Adds one.',
  effects: 'state',
  execute: (_params, { session }) => {
    session.dispatch(Added, { by: 1 });
    return ToolResult.ok(null, `Counted ${session.slice(Count).latest()?.total}.`);
  },
});

/** A prompt with these tools; `key` distinguishes prompts in the model's script. */
export const promptWith = (key: string, tools: readonly AnyTool[]): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key,
    sections: [section({ title: key, key, template: `This is ${key}.`, tools, slices: [Count] })],
  }).bind();

/** A tool whose handler does this with its context. */
export const delegate = (
  effects: 'read' | 'state' | 'external',
  execute: (context: ToolContext) => Promise<ToolResult<null>>,
  options: { readonly name?: string; readonly timeoutMs?: number } = {},
): AnyTool =>
  tool({
    name: options.name ?? 'delegate',
    description: 'Delegates.',
    effects,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    execute: (_params, context) => execute(context),
  });

/** A turn that calls these tools without arguments. */
export const calling = (...names: readonly string[]): ScriptedTurn => ({
  toolCalls: names.map((name): ScriptedToolCall => ({ name })),
});

/** One model for all prompts: what it says depends on which prompt it is asked for. */
export function modelFor(
  scripts: Readonly<Record<string, readonly (ScriptedTurn | (() => Promise<ScriptedTurn>))[]>>,
): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((_conversation, { instructions, turn }) => {
    const found = Object.entries(scripts).find(([key]) => instructions.includes(`This is ${key}.`));
    const step = found?.[1][turn - 1];
    if (step === undefined) return { text: `${found?.[0]} done` };
    return typeof step === 'function' ? step() : step;
  });
}
