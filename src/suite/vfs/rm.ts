import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';

/** Arguments of `rm`. */
export interface RmParams {
  /** The file or directory, from the workspace root. */
  readonly path: string;
}

/** What `rm` removed. */
export interface RmResult {
  /** The removed path, normalised. */
  readonly path: string;
  /** Files removed. */
  readonly files: number;
  /** Directories removed, the named one with them. */
  readonly directories: number;
}

const inputSchema: Schema<RmParams> = jsonSchema<RmParams>({
  type: 'object',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      description:
        'File or directory to remove, from the workspace root. A directory goes with all it holds.',
    },
  },
  required: ['path'],
  additionalProperties: false,
});

const outputSchema: Schema<RmResult> = jsonSchema<RmResult>({
  type: 'object',
  properties: {
    path: { type: 'string' },
    files: { type: 'integer', minimum: 0 },
    directories: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'files', 'directories'],
  additionalProperties: false,
});

/** The tool `rm`: removes a file, or a directory with all it holds; never the root. */
export function createRmTool(): Tool<RmParams, RmResult> {
  return tool({
    name: 'rm',
    description: 'Remove a file, or a directory with everything in it.',
    inputSchema,
    outputSchema,
    effects: 'state',
    pure: true,
    examples: [
      {
        description: 'Remove a directory and what it holds.',
        input: { path: 'build' },
        output: { path: 'build', files: 12, directories: 3 },
      },
    ],
    // The message holds everything.
    render: () => '',
    execute: ({ path }, { filesystem }) =>
      explainingFailures(filesystem, path, async () => {
        if (normalizePath(path) === '.') {
          return ToolResult.error('The workspace root cannot be removed. Name a file or directory in it.');
        }
        const removed = await filesystem.remove(path, { recursive: true });
        const result: RmResult = {
          path: removed.path,
          files: removed.files,
          directories: removed.directories,
        };
        return ToolResult.ok(result, `Removed ${showName(removed.path)}: ${describeCounts(result)}.`);
      }),
  });
}

function describeCounts({ files, directories }: RmResult): string {
  const parts: string[] = [];
  if (files > 0 || directories === 0) parts.push(counted(files, 'file'));
  if (directories > 0) parts.push(counted(directories, 'directory', 'directories'));
  return parts.join(', ');
}
