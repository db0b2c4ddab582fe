/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { normalizePath } from '../../core/filesystem/index.ts';
import { counted, showName } from '../../core/internal/index.ts';
import {
  choice,
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
  from: described(text, { minLength: 1 }) as Field<string>,
  /** Its new path; nothing may be there. */
  to: described(text, {
    minLength: 1,
    description:
      'Its whole new path, name included, from the workspace root. Nothing may be there; missing directories are made.',
  }) as Field<string>,
};

/** Arguments of `mv` and `cp`. */
export interface TransferParams extends RecordOf<typeof params> {}

const transferred = {
  /** The path it came from, normalised. */
  from: text as Field<string>,
  /** The path it is at now, normalised. */
  to: text as Field<string>,
  kind: choice('file', 'directory') as Field<'file' | 'directory'>,
  /** Files moved or copied: 1 for a file. */
  files: count as Field<number>,
};

/** What `mv` moved or `cp` copied. */
export interface TransferOutput extends RecordOf<typeof transferred> {}

function inputSchema(verb: 'move' | 'copy'): Schema<TransferParams> {
  return recordSchema<TransferParams>(params, {
    from: { description: `File or directory to ${verb}, from the workspace root.` },
  });
}

const outputSchema: Schema<TransferOutput> = recordSchema<TransferOutput>(transferred);

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
