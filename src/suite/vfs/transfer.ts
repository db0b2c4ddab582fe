import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { choice, count, described, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { fileTool } from './file-tool.ts';

/** What differs between the tools that give a file another path. */
const words = {
  mv: { action: 'move', does: 'Move or rename', example: 'Rename', done: 'Moved' },
  cp: { action: 'copy', does: 'Copy', example: 'Copy', done: 'Copied' },
} as const;

/** The tools `mv` and `cp`: a file, or a directory with all it holds, at another path; never onto something that exists. */
export function createTransferTool(name: keyof typeof words): AnyTool {
  const { action, does, example, done } = words[name];
  return fileTool({
    name,
    description: `${does} a file, or a directory with everything in it. The target must not exist.`,
    inputSchema: recordSchema({
      from: described(text, {
        minLength: 1,
        description: `File or directory to ${action}, from the workspace root.`,
      }),
      to: described(text, {
        minLength: 1,
        description:
          'Its whole new path, name included, from the workspace root. Nothing may be there; missing directories are made.',
      }),
    }),
    outputSchema: recordSchema({ from: text, to: text, kind: choice('file', 'directory'), files: count }),
    effects: 'state',
    examples: [
      {
        description: `${example} a file.`,
        input: { from: 'notes.md', to: 'docs/notes.md' },
        output: { from: 'notes.md', to: 'docs/notes.md', kind: 'file', files: 1 },
      },
    ],
    pathOf: ({ from }) => from,
    execute: async (given, { filesystem }) => {
      if (normalizePath(given.from) === '.') {
        return ToolResult.error(
          `The workspace root cannot be ${done.toLowerCase()}. Name a file or directory in it.`,
        );
      }
      const { from, to, kind, files } = await filesystem[action](given.from, given.to);
      const what = kind === 'file' ? '' : ` (a directory with ${counted(files, 'file')})`;
      return ToolResult.ok({ from, to, kind, files }, `${done} ${showName(from)} to ${showName(to)}${what}.`);
    },
  });
}
