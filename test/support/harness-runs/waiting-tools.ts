import { type AnyTool, jsonSchema, ToolResult, tool } from 'weakincentives';
import { gate } from '../gate.ts';

/** A tool that writes a file and then waits without an end. */
export const hangTool = (waits: () => void): AnyTool =>
  tool({
    name: 'hang',
    description: 'Writes a file and then waits without an end.',
    effects: 'state',
    execute: async (_params, { filesystem }) => {
      await filesystem.write('hung.md', 'half');
      waits();
      return new Promise<ToolResult<null>>(() => undefined);
    },
  });

/** A tool that replaces text of `config.yaml` once two calls have read the file, so that one of them is in conflict with the other. */
export function replaceTogetherTool(): AnyTool {
  const bothHaveRead = gate();
  let reads = 0;
  return tool({
    name: 'replace_together',
    description: 'Replaces text of config.yaml, once two calls have read the file.',
    inputSchema: jsonSchema<{ readonly before: string; readonly after: string }>({
      type: 'object',
      properties: { before: { type: 'string' }, after: { type: 'string' } },
      required: ['before', 'after'],
      additionalProperties: false,
    }),
    effects: 'state',
    execute: async ({ before, after }, { filesystem }) => {
      const { text } = await filesystem.read('config.yaml');
      reads += 1;
      if (reads === 2) bothHaveRead.open();
      await bothHaveRead.pass();
      await filesystem.write('config.yaml', text.replace(before, after));
      return ToolResult.ok(null, 'Replaced.');
    },
  });
}
