import { formatNumber, takeWithin } from '../../core/internal/index.ts';
import {
  count,
  described,
  type Field,
  list,
  type RecordOf,
  recordSchema,
  text,
} from '../../core/schema/index.ts';
import { defineEvent, defineSlice, type EventDefinition, type Slice } from '../../core/session/index.ts';
import { isHiddenIn, memoryRoot } from './memory-path.ts';

const memoryFile = {
  /** From `/memories/` on, in canonical form. Identifies the file. */
  path: described(text, { pattern: '^/memories/.' }) as Field<string>,
  text: text as Field<string>,
  /** Of `text` in UTF-8. */
  bytes: count as Field<number>,
};

/** A file of the memory. */
export interface MemoryFile extends RecordOf<typeof memoryFile> {}

const removeFiles = { paths: list(text) as Field<readonly string[]> };

/** What {@link RemoveMemoryFiles} carries. */
interface RemoveMemoryFilesPayload extends RecordOf<typeof removeFiles> {}

/** Takes files out of the memory by their paths; paths without a file are ignored. */
export const RemoveMemoryFiles: EventDefinition<RemoveMemoryFilesPayload, RemoveMemoryFilesPayload> =
  defineEvent({ name: 'weakincentives.remove-memory-files', schema: recordSchema(removeFiles) });

/** Files and characters that a digest lists. */
const maxListedFiles = 100;
const maxListedCharacters = 4000;

/**
 * The memory of a session: one item a file. Folders are what paths have in common, so that there are no empty ones.
 *
 * STATE: what a failing tool call did to the memory is undone.
 *
 * @param initial the files of a new session.
 * @see docs/spec/memory.md §2
 */
export function memorySlice(initial: readonly MemoryFile[]): Slice<MemoryFile> {
  return defineSlice({
    name: 'memory.files',
    schema: recordSchema(memoryFile),
    key: ({ path }) => path,
    initial,
    // Files are written one by one, directly: an event would have each text a second time in the rows of a run.
    reducers: (on) => [on(RemoveMemoryFiles, (files, { paths }) => files.remove(...paths))],
    digest: listFiles,
  });
}

/** What a model must know of the memory once the turns that made it have left the conversation: where to look. */
function listFiles(files: readonly MemoryFile[]): string {
  const visible = files.map(({ path }) => path).filter((path) => !isHiddenIn(memoryRoot, path));
  if (visible.length === 0) return '';
  const listed = takeWithin(visible.sort().slice(0, maxListedFiles), maxListedCharacters, (path) => path);
  const more = visible.length - listed.length;
  return [
    'Files of your memory. View those that you need with the tool memory.',
    ...listed,
    ...(more > 0 ? [`and ${formatNumber(more)} more`] : []),
  ].join('\n');
}
