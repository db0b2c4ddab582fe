import type { ScriptStep } from '../fake-provider/script.ts';

const write = (content: string) => ({ name: 'write_file', arguments: { file_path: 'config.yaml', content } });
const read = { name: 'read_file', arguments: { file_path: 'config.yaml' } };
const edit = (before: string, after: string) => ({
  name: 'edit_file',
  arguments: { file_path: 'config.yaml', old_string: before, new_string: after },
});

/** Writes a file that it has not read, which is denied; reads it; writes it. */
export const writeReadWrite: readonly ScriptStep[] = [
  { text: 'I write it.', calls: [write('too early\n')] },
  { calls: [read] },
  { calls: [write('changed\n')] },
  { text: 'Done.' },
];

/** Edits two places of a file in one answer. */
export const twoEdits: readonly ScriptStep[] = [
  { calls: [read] },
  { calls: [edit('a: 1', 'a: one'), edit('b: 2', 'b: two')] },
  { text: 'Done.' },
];

const replaceTogether = (before: string, after: string) => ({
  name: 'replace_together',
  arguments: { before, after },
});

/** Replaces two places of a file with calls that have both read it before one of them writes. */
export const twoConflictingEdits: readonly ScriptStep[] = [
  { calls: [read] },
  { calls: [replaceTogether('a: 1', 'a: one'), replaceTogether('b: 2', 'b: two')] },
  { text: 'Done.' },
];

/** Calls a tool that does not end. */
export const hanging: readonly ScriptStep[] = [
  { calls: [{ name: 'hang', arguments: {} }] },
  { text: 'Done.' },
];
