/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';

const params = {
  /** The file or directory, from the workspace root. */
  path: described(text, {
    minLength: 1,
    description: 'File or directory to remove, from the workspace root. A directory goes with all it holds.',
  }) as Field<string>,
};

/** Arguments of `rm`. */
export interface RmParams extends RecordOf<typeof params> {}

const removal = {
  /** The removed path, normalised. */
  path: text as Field<string>,
  /** Files removed. */
  files: count as Field<number>,
  /** Directories removed, the named one with them. */
  directories: count as Field<number>,
};

/** What `rm` removed. */
export interface RmResult extends RecordOf<typeof removal> {}

const inputSchema: Schema<RmParams> = recordSchema<RmParams>(params);

const outputSchema: Schema<RmResult> = recordSchema<RmResult>(removal);

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
