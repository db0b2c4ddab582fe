import { jsonSchema, type Schema, type Tool, ToolResult, tool } from 'weakincentives';
import { type Unmounted, UnmountedFiles, unmounted } from './slices.ts';
import { showName } from './text.ts';

const inputSchema: Schema<Record<string, never>> = jsonSchema<Record<string, never>>({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

/** Entries that one result names. */
const maxNamedEntries = 200;
const nothing: Unmounted = { folders: [], entries: [], total: 0 };

/** The tool `list_unmounted`: a link to what is left out is not broken, and a report has to say what it did not see. */
export const listUnmounted: Tool<Record<string, never>, Unmounted> = tool({
  name: 'list_unmounted',
  description: 'List what of the folder is not in the workspace, and why.',
  inputSchema,
  outputSchema: unmounted,
  effects: 'read',
  idempotent: true,
  render: (listed) =>
    [
      ...listed.folders.map((name) => `- every ${name}/`),
      ...listed.entries.map((entry) => `- ${showName(entry.path)}: ${entry.reason}`),
      ...(listed.total > listed.entries.length ? [`and ${listed.total - listed.entries.length} more.`] : []),
    ].join('\n'),
  execute: (_params, { session }) => {
    const { folders, entries, total } = session.slice(UnmountedFiles).latest() ?? nothing;
    const shown = entries.slice(0, maxNamedEntries);
    const amount = total === 0 ? 'Nothing else' : total === 1 ? '1 file' : `${total} files`;
    return ToolResult.ok({ folders, entries: shown, total }, `${amount} left out besides these directories:`);
  },
});
