import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { explainingFailures } from './failure.ts';

/** Arguments of `mv` and `cp`. */
export interface TransferParams {
  /** The file or directory, from the workspace root. */
  readonly from: string;
  /** Its new path; nothing may be there. */
  readonly to: string;
}

/** What `mv` moved or `cp` copied. */
export interface TransferOutput {
  /** The path it came from, normalised. */
  readonly from: string;
  /** The path it is at now, normalised. */
  readonly to: string;
  readonly kind: 'file' | 'directory';
  /** Files moved or copied: 1 for a file. */
  readonly files: number;
}

function inputSchema(verb: 'move' | 'copy'): Schema<TransferParams> {
  return jsonSchema<TransferParams>({
    type: 'object',
    properties: {
      from: {
        type: 'string',
        minLength: 1,
        description: `File or directory to ${verb}, from the workspace root.`,
      },
      to: {
        type: 'string',
        minLength: 1,
        description:
          'Its whole new path, name included, from the workspace root. Nothing may be there; missing directories are made.',
      },
    },
    required: ['from', 'to'],
    additionalProperties: false,
  });
}

const outputSchema: Schema<TransferOutput> = jsonSchema<TransferOutput>({
  type: 'object',
  properties: {
    from: { type: 'string' },
    to: { type: 'string' },
    kind: { enum: ['file', 'directory'] },
    files: { type: 'integer', minimum: 0 },
  },
  required: ['from', 'to', 'kind', 'files'],
  additionalProperties: false,
});

/** The tool `mv`: moves or renames a file or a directory with all it holds; never onto something that exists. */
export function createMvTool(): Tool<TransferParams, TransferOutput> {
  return transferTool('mv', 'move');
}

/** The tool `cp`: copies a file or a directory with all it holds; never onto something that exists. */
export function createCpTool(): Tool<TransferParams, TransferOutput> {
  return transferTool('cp', 'copy');
}

function transferTool(name: 'mv' | 'cp', action: 'move' | 'copy'): Tool<TransferParams, TransferOutput> {
  return tool({
    name,
    description: `${action === 'move' ? 'Move or rename' : 'Copy'} a file, or a directory with everything in it. The target must not exist.`,
    inputSchema: inputSchema(action),
    outputSchema,
    effects: 'state',
    pure: true,
    examples: [
      {
        description: `${action === 'move' ? 'Rename' : 'Copy'} a file.`,
        input: { from: 'notes.md', to: 'docs/notes.md' },
        output: { from: 'notes.md', to: 'docs/notes.md', kind: 'file', files: 1 },
      },
    ],
    // The message holds everything.
    render: () => '',
    execute: ({ from, to }, { filesystem }) =>
      explainingFailures(filesystem, from, async () => {
        if (normalizePath(from) === '.') {
          return ToolResult.error(
            `The workspace root cannot be ${done(action)}. Name a file or directory in it.`,
          );
        }
        const result: TransferOutput = pick(await filesystem[action](from, to));
        const what = result.kind === 'file' ? '' : ` (a directory with ${counted(result.files, 'file')})`;
        const verb = action === 'move' ? 'Moved' : 'Copied';
        return ToolResult.ok(result, `${verb} ${showName(result.from)} to ${showName(result.to)}${what}.`);
      }),
  });
}

function done(action: 'move' | 'copy'): string {
  return action === 'move' ? 'moved' : 'copied';
}

/** A file system may report more. */
function pick({ from, to, kind, files }: TransferOutput): TransferOutput {
  return { from, to, kind, files };
}
