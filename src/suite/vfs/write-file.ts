import { counted, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';

/** Arguments of `write_file`. */
export interface WriteFileParams {
  /** The file, from the workspace root. */
  readonly file_path: string;
  /** The whole new content. */
  readonly content: string;
}

/** What `write_file` did; never the content itself. */
export interface WriteFileResult {
  /** The file, normalised. */
  readonly path: string;
  /** Whether the file is new. */
  readonly created: boolean;
  /** Size of the written file. */
  readonly bytes: number;
}

const inputSchema: Schema<WriteFileParams> = jsonSchema<WriteFileParams>({
  type: 'object',
  properties: {
    file_path: {
      type: 'string',
      minLength: 1,
      description: 'File to write, from the workspace root. Missing directories are made.',
    },
    content: { type: 'string', description: 'The whole new content of the file.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
});

const outputSchema: Schema<WriteFileResult> = jsonSchema<WriteFileResult>({
  type: 'object',
  properties: {
    path: { type: 'string' },
    created: { type: 'boolean' },
    bytes: { type: 'integer', minimum: 0 },
  },
  required: ['path', 'created', 'bytes'],
  additionalProperties: false,
});

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
