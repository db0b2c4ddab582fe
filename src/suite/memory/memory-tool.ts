import { FilesystemError, withDefaults } from '../../core/error/index.ts';
import { counted, once, quoteText } from '../../core/internal/index.ts';
import { count, optional, type RecordOf, recordSchema, text } from '../../core/schema/index.ts';
import type { Slice } from '../../core/session/index.ts';
import { type AnyTool, ToolResult, type ToolSuccess, tool } from '../../core/tool/index.ts';
import {
  createFile,
  deletePath,
  insertText,
  type MemoryChange,
  type MemoryFiles,
  renamePath,
  replaceText,
} from './memory-changes.ts';
import { type MemoryFile, memorySlice, RemoveMemoryFiles } from './memory-files.ts';
import { assertMembers, type MemoryInput, memoryInputSchema } from './memory-input.ts';
import { assertFits, type MemoryLimits, memoryLimitChecks } from './memory-limits.ts';
import { memoryRoot, readMemoryPath } from './memory-path.ts';
import { type MemorySeed, seededFiles } from './memory-seed.ts';
import { renderView, viewFields, viewMemory } from './memory-view.ts';

/** What {@link createMemoryTool} takes. */
export interface MemoryToolOptions {
  /** As in `memorySection()`. */
  readonly maxBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
  readonly seed?: MemorySeed | undefined;
}

/** The tool `memory`, and the slice that a section with it has to name among its `slices`. */
export interface MemoryTool {
  readonly tool: AnyTool;
  readonly files: Slice<MemoryFile>;
  readonly limits: MemoryLimits;
}

const output = {
  /** In canonical form; of a rename the new one. */
  path: text,
  ...viewFields,
  /** Of the file afterwards. */
  bytes: optional(count),
  /** How many files were deleted or renamed. */
  files: optional(count),
};

type Output = RecordOf<typeof output>;

/** Makes the tool without a seed once: a program may make a section for each run, and sessions know one slice of a name. */
const unseededFiles = once(() => memorySlice([]));

/**
 * Makes the tool `memory`: text files that belong to the session. It holds nothing itself; all of it is in the slice.
 *
 * @throws {PromptValidationError} for a limit or a seed that cannot be used.
 * @see docs/spec/memory.md §1
 */
export function createMemoryTool({ seed, ...options }: MemoryToolOptions = {}): MemoryTool {
  const limits = withDefaults(memoryLimitChecks, options);
  const files = seed === undefined ? unseededFiles() : memorySlice(seededFiles(seed, limits));
  const made = tool({
    name: 'memory',
    description:
      'Keep notes in text files under /memories, which are still there when earlier turns are not. Each command takes the arguments that name it.',
    inputSchema: memoryInputSchema,
    outputSchema: recordSchema(output),
    effects: 'state',
    pure: true,
    acceptsOverrides: false,
    examples: [
      {
        description: 'See what there is.',
        input: { command: 'view', path: '/memories' },
        output: {
          path: '/memories',
          entries: [
            { path: '/memories', bytes: 96, isDirectory: true },
            { path: '/memories/progress.md', bytes: 96, isDirectory: false },
          ],
        },
      },
      {
        description: 'Note what was decided.',
        input: {
          command: 'create',
          path: '/memories/decisions.md',
          file_text: '# Decisions\n- Dates are UTC.\n',
        },
        output: { path: '/memories/decisions.md', bytes: 29 },
      },
    ],
    subject: ({ command, path, old_path: oldPath }) => `${command} ${path ?? oldPath ?? ''}`,
    render: renderView,
    execute: (given, { session }) => {
      try {
        assertMembers(given);
        const held = session.slice(files);
        if (given.command === 'view') return view(held, given);
        const change = changeOf(held, given);
        assertFits(held, change, limits);
        if (change.removed.length > 0) session.dispatch(RemoveMemoryFiles, { paths: change.removed });
        held.append(...change.written);
        return done(given, change);
      } catch (error) {
        if (!FilesystemError.isInstance(error)) throw error;
        return ToolResult.error(error.message);
      }
    },
  });
  return { tool: made, files, limits };
}

function view(held: MemoryFiles, { path = '', view_range: range = [] }: MemoryInput): ToolSuccess<Output> {
  const { message, ...shown } = viewMemory(
    held,
    readMemoryPath(path),
    range.length === 0 ? undefined : range,
  );
  return ToolResult.ok(shown, message);
}

function changeOf(held: MemoryFiles, given: MemoryInput): MemoryChange {
  const { command, path = '', old_path: oldPath = '', new_path: newPath = '' } = given;
  switch (command) {
    case 'create':
      return createFile(held, readMemoryPath(path), given.file_text ?? '');
    case 'str_replace':
      return replaceText(held, readMemoryPath(path), {
        oldText: given.old_str ?? '',
        newText: given.new_str ?? '',
      });
    case 'insert':
      return insertText(
        held,
        readMemoryPath(path),
        given.insert_line ?? 0,
        given.insert_text ?? given.new_str ?? '',
      );
    case 'rename':
      return renamePath(held, readMemoryPath(oldPath), readMemoryPath(newPath), readMemoryPath);
    default:
      return deletePath(held, readMemoryPath(path));
  }
}

function done(given: MemoryInput, { removed, written }: MemoryChange): ToolSuccess<Output> {
  const [file] = written;
  const { command } = given;
  if (command === 'delete' || command === 'rename') {
    const files = removed.length;
    const from = quoteText(readMemoryPath(given.old_path ?? given.path ?? ''));
    const path = readMemoryPath(command === 'delete' ? (given.path ?? '') : (given.new_path ?? ''));
    return ToolResult.ok(
      { path, files },
      command === 'delete'
        ? `Deleted ${from} (${counted(files, 'file')}).`
        : `Renamed ${from} to ${quoteText(path)} (${counted(files, 'file')}).`,
    );
  }
  const { path = memoryRoot, bytes = 0 } = file ?? {};
  const verb = command === 'create' ? 'Created' : 'Changed';
  return ToolResult.ok({ path, bytes }, `${verb} ${quoteText(path)}: ${counted(bytes, 'byte')}.`);
}
