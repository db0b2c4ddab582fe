import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { count, described, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { fileTool } from './file-tool.ts';

/** The tool `rm`: removes a file, or a directory with all it holds; never the root. */
export function createRmTool(): AnyTool {
  return fileTool({
    name: 'rm',
    description: 'Remove a file, or a directory with everything in it.',
    inputSchema: recordSchema({
      path: described(text, {
        minLength: 1,
        description:
          'File or directory to remove, from the workspace root. A directory goes with all it holds.',
      }),
    }),
    // The directories count the named one.
    outputSchema: recordSchema({ path: text, files: count, directories: count }),
    effects: 'state',
    examples: [
      {
        description: 'Remove a directory and what it holds.',
        input: { path: 'build' },
        output: { path: 'build', files: 12, directories: 3 },
      },
    ],
    pathOf: ({ path }) => path,
    execute: async ({ path: given }, { filesystem }) => {
      if (normalizePath(given) === '.') {
        return ToolResult.error('The workspace root cannot be removed. Name a file or directory in it.');
      }
      const { path, files, directories } = await filesystem.remove(given, { recursive: true });
      const counts = [
        ...(files > 0 || directories === 0 ? [counted(files, 'file')] : []),
        ...(directories > 0 ? [counted(directories, 'directory', 'directories')] : []),
      ];
      return ToolResult.ok({ path, files, directories }, `Removed ${showName(path)}: ${counts.join(', ')}.`);
    },
  });
}
