import { showName } from '../../internal/index.ts';
import { type NamedToken, resource } from '../../resource/index.ts';
import { jsonSchema, type Schema } from '../../schema/index.ts';
import { type Tool, ToolResult, tool } from '../../tool/index.ts';

/** A file or directory of the folder that is not reviewed, and why. */
export interface UnmountedEntry {
  readonly path: string;
  readonly reason: string;
}

/** What of the folder is not reviewed. */
export interface Unmounted {
  /** Names of directories that are left out wherever they stand. */
  readonly folders: readonly string[];
  /** Files and directories that could not be taken, the first of them. */
  readonly entries: readonly UnmountedEntry[];
  /** All that could not be taken, also what `entries` has no room for. */
  readonly total: number;
}

/** Finds out what of the folder is not reviewed. */
export interface UnmountedSurvey {
  /** May throw: the call that asks fails. */
  unmounted(): Unmounted;
}

/** Asked when the tool is called, bound for each review. */
export const UnmountedFiles: NamedToken<UnmountedSurvey> =
  resource<UnmountedSurvey>('review.unmounted-files');

const outputSchema: Schema<Unmounted> = jsonSchema<Unmounted>({
  type: 'object',
  properties: {
    folders: { type: 'array', items: { type: 'string' } },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
        required: ['path', 'reason'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer', minimum: 0 },
  },
  required: ['folders', 'entries', 'total'],
  additionalProperties: false,
});

const inputSchema: Schema<Record<string, never>> = jsonSchema<Record<string, never>>({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

/** Entries that one result names. */
const MAX_NAMED_ENTRIES = 200;

/** The tool `list_unmounted`: a link to what is left out is not broken, and a report has to say what it did not see. */
export const listUnmounted: Tool<Record<string, never>, Unmounted> = tool({
  name: 'list_unmounted',
  description: 'List what of the folder is not in the workspace, and why.',
  inputSchema,
  outputSchema,
  effects: 'read',
  idempotent: true,
  render: (unmounted) =>
    [
      ...unmounted.folders.map((name) => `- every ${name}/`),
      ...unmounted.entries.map((entry) => `- ${showName(entry.path)}: ${entry.reason}`),
      ...(unmounted.total > unmounted.entries.length
        ? [`and ${unmounted.total - unmounted.entries.length} more.`]
        : []),
    ].join('\n'),
  execute: async (_params, { resources }) => {
    const { folders, entries, total } = (await resources.get(UnmountedFiles)).unmounted();
    const shown = entries.slice(0, MAX_NAMED_ENTRIES);
    const amount = total === 0 ? 'Nothing else' : total === 1 ? '1 file' : `${total} files`;
    return ToolResult.ok({ folders, entries: shown, total }, `${amount} left out besides these directories:`);
  },
});
