// What the model of the tour asks for, turn by turn: a script in its place.
import type { ProviderAdapter } from 'weakincentives';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';

export const call = (name: string, parameters: Readonly<Record<string, unknown>> = {}): ScriptedToolCall => ({
  name,
  arguments: parameters,
});
export const read = (path: string): ScriptedToolCall => call('read_file', { file_path: path });
export const write = (path: string, content: string): ScriptedToolCall =>
  call('write_file', { file_path: path, content });
export const edit = (path: string, before: string, after: string): ScriptedToolCall =>
  call('edit_file', { file_path: path, old_string: before, new_string: after });

/** Each list is one turn; its calls run in parallel. The last turn is an answer. */
export function script(...turns: readonly (readonly ScriptedToolCall[])[]): ProviderAdapter {
  return scriptedAdapter([...turns.map((toolCalls) => ({ toolCalls })), { text: 'Done.' }]);
}

/** Chapter 6: the process is killed in the fourth turn. The fifth is asked for by the process that resumes the run. */
export const charging: ProviderAdapter = script(
  [read('rates.md'), read('REVIEW.md')],
  [edit('rates.md', 'north: 50', 'north: 55'), edit('rates.md', 'south: 75', 'south: 80')],
  [edit('REVIEW.md', '- discounts.md: read', '- discounts.md: read\n- zones.md: read')],
  [call('charge', { invoice: 'invoice-7' })],
  [call('ask_bank', { invoice: 'invoice-7' })],
);
