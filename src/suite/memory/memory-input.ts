import { FilesystemError } from '../../core/error/index.ts';
import {
  choice,
  described,
  integer,
  list,
  optional,
  recordSchema,
  type Schema,
  text,
} from '../../core/schema/index.ts';

/** What one call gives. */
export interface MemoryInput {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename';
  readonly path?: string;
  readonly view_range?: readonly number[];
  readonly file_text?: string;
  readonly old_str?: string;
  readonly new_str?: string;
  readonly insert_line?: number;
  readonly insert_text?: string;
  readonly old_path?: string;
  readonly new_path?: string;
}

/** The arguments of the tool `memory`, flat, as every provider takes them: which of them belong together is checked with each call. */
export const memoryInputSchema: Schema<MemoryInput, MemoryInput> = recordSchema({
  command: described(choice('view', 'create', 'str_replace', 'insert', 'delete', 'rename'), {
    description:
      'view shows a file or directory, create makes a file, str_replace and insert change one, delete and rename take files and directories.',
  }),
  path: optional(text, {
    description:
      'For every command but rename: a path such as "/memories/notes.md"; "/memories" is all of it.',
  }),
  view_range: optional(list(integer), {
    description:
      'For view of a file: numbers of the first and last line, from 1; -1 as the last is the end. Default: all.',
  }),
  file_text: optional(text, { description: 'For create: the text of the file.' }),
  old_str: optional(text, {
    description: 'For str_replace: the exact text to replace, without line numbers. Must occur exactly once.',
  }),
  new_str: optional(text, { description: 'For str_replace: the text in its place; empty deletes old_str.' }),
  insert_line: optional(integer, {
    description: 'For insert: the number of the line to insert after; 0 is the start of the file.',
  }),
  insert_text: optional(text, { description: 'For insert: the lines to insert.' }),
  old_path: optional(text, { description: 'For rename: the file or directory.' }),
  new_path: optional(text, { description: 'For rename: the path that it gets. Nothing may be there.' }),
});

type Command = MemoryInput['command'];
type Member = Exclude<keyof MemoryInput, 'command'>;

/** What each command needs and may have. */
const commands: Readonly<
  Record<Command, { readonly needed: readonly Member[]; readonly others: readonly Member[] }>
> = {
  view: { needed: ['path'], others: ['view_range'] },
  create: { needed: ['path', 'file_text'], others: [] },
  str_replace: { needed: ['path', 'old_str', 'new_str'], others: [] },
  insert: { needed: ['path', 'insert_line', 'insert_text'], others: [] },
  delete: { needed: ['path'], others: [] },
  rename: { needed: ['old_path', 'new_path'], others: [] },
};

/** Refuses arguments that a command lacks, and those of other commands, unless they are empty: some models send every argument. */
export function assertMembers(given: MemoryInput): void {
  const { command } = given;
  const { needed, others } = commands[command];
  // Anthropic's own tool takes it here, too.
  const isInserted = command === 'insert' && given.insert_text === undefined && given.new_str !== undefined;
  const lacking = needed.filter(
    (name) => given[name] === undefined && !(isInserted && name === 'insert_text'),
  );
  if (lacking.length > 0)
    throw refusedMembers(
      `${command} lacks ${lacking.join(' and ')}. It takes ${listOf([...needed, ...others])}.`,
    );
  const known = new Set<string>(['command', ...needed, ...others, ...(isInserted ? ['new_str'] : [])]);
  const foreign = Object.entries(given).filter(([name, value]) => !known.has(name) && !isEmpty(value));
  if (foreign.length > 0)
    throw refusedMembers(
      `${command} does not take ${foreign.map(([name]) => name).join(' and ')}. It takes ${listOf([...needed, ...others])}.`,
    );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}

function listOf(names: readonly string[]): string {
  return names.length === 1
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names.slice(-1).join('')}`;
}

function refusedMembers(message: string): FilesystemError {
  return new FilesystemError('argument-invalid', `${message} Nothing was changed.`);
}
