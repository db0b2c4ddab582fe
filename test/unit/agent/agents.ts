import {
  type Agent,
  defineAgent,
  defineSlice,
  type PromptTemplate,
  promptTemplate,
  type RunEvent,
  type RunObserver,
  type Slice,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

/** Notes that a run begins with. */
export const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
});

interface NotesParams {
  readonly topic: string;
  readonly words?: number | undefined;
}

const task = section({
  title: 'Task',
  key: 'task',
  params: z.object({ topic: z.string(), words: z.number().default(20) }),
  template: (p) => `Write NOTES.md about ${p.topic} in ${p.words} words.`,
  slices: [Notes],
  tools: [
    tool({
      name: 'look',
      description: 'Look.',
      inputSchema: z.object({}),
      execute: () => ToolResult.ok(null, 'Seen.'),
    }),
  ],
});

export const notesTemplate: PromptTemplate<NotesParams, { file: string }> = promptTemplate({
  ns: 'agents',
  key: 'notes',
  sections: [task, vfsToolsSection()],
  output: z.object({ file: z.string() }),
});

/** Writes `NOTES.md` with its topic. */
export const notes: Agent<NotesParams, { file: string }> = defineAgent({
  template: notesTemplate,
  params: ({ workspaceName }) => ({ topic: workspaceName }),
  input: 'Go.',
  workspace: {},
  limits: { maxTurns: 5 },
  adapter: ({ params }) => notesModel(params.topic),
});

/** A model that writes a text to `NOTES.md` and ends. */
export function notesModel(topic: string): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter([
    { toolCalls: [{ name: 'write_file', arguments: { file_path: 'NOTES.md', content: `${topic}\n` } }] },
    { text: '{"file":"NOTES.md"}' },
  ]);
}

/** Answers at once. */
export const bareTemplate: PromptTemplate<Record<never, never>, undefined> = promptTemplate({
  ns: 'agents',
  key: 'bare',
  sections: [section({ title: 'Task', key: 'task', template: 'Say hello.', slices: [Notes] })],
});

/** The types of the events of a run. */
export function eventTypes(): { readonly types: string[]; readonly observer: RunObserver } {
  const types: string[] = [];
  return { types, observer: { onEvent: (event: RunEvent) => void types.push(event.type) } };
}
