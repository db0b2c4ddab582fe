import { FilesystemError } from '../../core/error/index.ts';
import { type Filesystem, normalizePath } from '../../core/filesystem/index.ts';
import { byteOrderMark, counted, formatNumber, present, showName } from '../../core/internal/index.ts';
import { choice, count, described, flag, optional, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { fileTool, pathField } from './file-tool.ts';

/**
 * The tool `write_file`: creates a text file or replaces all that it holds. A byte order mark stays unless the content is empty. The
 * result never holds the content.
 */
export function createWriteFileTool(): AnyTool {
  return fileTool({
    name: 'write_file',
    description: 'Create a text file, or replace the whole content of an existing one.',
    inputSchema: recordSchema({
      file_path: pathField('File to write, from the workspace root. Missing directories are made.'),
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
    names: { file_path: 'path' },
    pathOf: ({ file_path: path }) => path,
    execute: async ({ file_path: given, content }, { filesystem }) => {
      const hasMark = content.startsWith(byteOrderMark);
      // The model does not see it, so that leaving it out says nothing.
      const keepsMark = !hasMark && content !== '' && (await beginsWithMark(filesystem, given));
      const whole = keepsMark ? byteOrderMark + content : content;
      const { path, created, bytes } = await filesystem.write(given, whole);
      const verb = created ? 'Created' : 'Replaced the content of';
      const note = keepsMark
        ? ', with the byte order mark that the file had'
        : hasMark
          ? ', with a byte order mark'
          : '';
      return ToolResult.ok(
        { path, created, bytes },
        `${verb} ${showName(path)} (${counted(bytes, 'byte')}${note}).`,
      );
    },
  });
}

async function beginsWithMark(filesystem: Filesystem, path: string): Promise<boolean> {
  try {
    return (await filesystem.read(path, { limit: 1 })).text.startsWith(byteOrderMark);
  } catch (error) {
    // There is no text file at the path.
    if (FilesystemError.isInstance(error)) return false;
    throw error;
  }
}

/** The tool `rm`: removes a file, or a directory with all it holds; never the root. */
export function createRmTool(): AnyTool {
  return fileTool({
    name: 'rm',
    description: 'Remove a file, or a directory with everything in it.',
    inputSchema: recordSchema({
      path: pathField(
        'File or directory to remove, from the workspace root. A directory goes with all it holds.',
      ),
    }),
    // The directories count the named one.
    outputSchema: recordSchema({
      path: text,
      files: count,
      directories: count,
      writeProtected: optional(count),
    }),
    effects: 'state',
    examples: [
      {
        description: 'Remove a directory and what it holds.',
        input: { path: 'build' },
        output: { path: 'build', files: 12, directories: 3 },
      },
    ],
    names: { path: 'path' },
    pathOf: ({ path }) => path,
    execute: async ({ path: given }, { filesystem }) => {
      if (normalizePath(given) === '.') {
        return ToolResult.error('The workspace root cannot be removed. Name a file or directory in it.');
      }
      const { path, files, directories, writeProtected } = await filesystem.remove(given, {
        recursive: true,
      });
      const counts = [
        ...(files > 0 || directories === 0 ? [counted(files, 'file')] : []),
        ...(directories > 0 ? [counted(directories, 'directory', 'directories')] : []),
      ];
      const note = writeProtected === undefined ? '' : ` (${formatNumber(writeProtected)} write-protected)`;
      return ToolResult.ok(
        { path, files, directories, ...present({ writeProtected }) },
        `Removed ${showName(path)}: ${counts.join(', ')}${note}.`,
      );
    },
  });
}

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
      from: pathField(`File or directory to ${action}, from the workspace root.`),
      to: pathField(
        'Its whole new path, name included, from the workspace root. Nothing may be there; missing directories are made.',
      ),
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
    names: { from: 'path', to: 'path' },
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
