import { counted, showName } from '../../core/internal/index.ts';
import { count, described, flag, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { fileTool } from './file-tool.ts';

/** The tool `write_file`: creates a text file or replaces all that it holds. Its result never holds the content. */
export function createWriteFileTool(): AnyTool {
  return fileTool({
    name: 'write_file',
    description: 'Create a text file, or replace the whole content of an existing one.',
    inputSchema: recordSchema({
      file_path: described(text, {
        minLength: 1,
        description: 'File to write, from the workspace root. Missing directories are made.',
      }),
      content: described(text, { description: 'The whole new content of the file.' }),
    }),
    outputSchema: recordSchema({ path: text, created: flag, bytes: count }),
    effects: 'state',
    idempotent: true,
    examples: [
      {
        description: 'Create a file in a new directory.',
        input: { file_path: 'docs/plan.md', content: '# Plan\n' },
        output: { path: 'docs/plan.md', created: true, bytes: 7 },
      },
    ],
    pathOf: ({ file_path: path }) => path,
    execute: async ({ file_path: given, content }, { filesystem }) => {
      const { path, created, bytes } = await filesystem.write(given, content);
      const verb = created ? 'Created' : 'Replaced the content of';
      return ToolResult.ok(
        { path, created, bytes },
        `${verb} ${showName(path)} (${counted(bytes, 'byte')}).`,
      );
    },
  });
}
