/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { counted, showName } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  flag,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';

const params = {
  /** The file, from the workspace root. */
  file_path: described(text, {
    minLength: 1,
    description: 'File to write, from the workspace root. Missing directories are made.',
  }) as Field<string>,
  /** The whole new content. */
  content: described(text, { description: 'The whole new content of the file.' }) as Field<string>,
};

/** Arguments of `write_file`. */
export interface WriteFileParams extends RecordOf<typeof params> {}

const writing = {
  /** The file, normalised. */
  path: text as Field<string>,
  /** Whether the file is new. */
  created: flag as Field<boolean>,
  /** Size of the written file. */
  bytes: count as Field<number>,
};

/** What `write_file` did; never the content itself. */
export interface WriteFileResult extends RecordOf<typeof writing> {}

const inputSchema: Schema<WriteFileParams> = recordSchema<WriteFileParams>(params);

const outputSchema: Schema<WriteFileResult> = recordSchema<WriteFileResult>(writing);

/** The tool `write_file`: creates a text file or replaces all that it holds. */
export function createWriteFileTool(): Tool<WriteFileParams, WriteFileResult> {
  return tool({
    name: 'write_file',
    description: 'Create a text file, or replace the whole content of an existing one.',
    inputSchema,
    outputSchema,
    effects: 'state',
    pure: true,
    idempotent: true,
    examples: [
      {
        description: 'Create a file in a new directory.',
        input: { file_path: 'docs/plan.md', content: '# Plan\n' },
        output: { path: 'docs/plan.md', created: true, bytes: 7 },
      },
    ],
    // The message holds everything.
    render: () => '',
    execute: ({ file_path: path, content }, { filesystem }) =>
      explainingFailures(filesystem, path, async () => {
        const written = await filesystem.write(path, content);
        const result: WriteFileResult = {
          path: written.path,
          created: written.created,
          bytes: written.bytes,
        };
        const verb = written.created ? 'Created' : 'Replaced the content of';
        return ToolResult.ok(
          result,
          `${verb} ${showName(written.path)} (${counted(written.bytes, 'byte')}).`,
        );
      }),
  });
}
