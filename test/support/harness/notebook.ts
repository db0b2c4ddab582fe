import {
  type AnyTool,
  defineSlice,
  jsonSchema,
  type Prompt,
  promptTemplate,
  type Section,
  type Slice,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';

/** What the tool `note` has written. */
export const Notes: Slice<{ readonly text: string }> = defineSlice({
  name: 'notes',
  schema: jsonSchema<{ readonly text: string }>({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  }),
});

/** A tool that notes a text and then does `after`. */
export function noteTool(
  name = 'note',
  after: (text: string, context: ToolContext) => ToolResult<null> | Promise<ToolResult<null>> = (text) =>
    ToolResult.ok(null, `Noted ${text}.`),
): AnyTool {
  return tool({
    name,
    description: 'Notes a text.',
    inputSchema: jsonSchema<{ readonly text: string }>({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    }),
    effects: 'state',
    execute: (params, context) => {
      context.session.slice(Notes).append({ text: params.text });
      return after(params.text, context);
    },
  });
}

/** The sections of a prompt with these tools. */
function sectionsOf(tools: readonly AnyTool[], more: readonly Section<Record<never, never>>[]) {
  return [section({ title: 'Task', key: 'task', template: 'Note it.', tools, slices: [Notes] }), ...more];
}

/** A prompt that is answered with text. */
export function notebook(
  tools: readonly AnyTool[] = [noteTool()],
  more: readonly Section<Record<never, never>>[] = [],
): Prompt<undefined> {
  return promptTemplate({ ns: 'test', key: 'notebook', sections: sectionsOf(tools, more) }).bind();
}

/** A prompt that is answered with a count. */
export function counter(tools: readonly AnyTool[] = [noteTool()]): Prompt<{ readonly count: number }> {
  return promptTemplate({
    ns: 'test',
    key: 'counter',
    sections: sectionsOf(tools, []),
    output: jsonSchema<{ readonly count: number }>({
      type: 'object',
      properties: { count: { type: 'integer' } },
      required: ['count'],
      additionalProperties: false,
    }),
  }).bind();
}
