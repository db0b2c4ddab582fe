import {
  binding,
  defineEvent,
  defineSlice,
  type EventDefinition,
  Filesystem,
  jsonSchema,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type Slice,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import { type Gate, gate } from '../gate.ts';

/** Something was counted. */
export const Counted: EventDefinition<{ readonly by: number }, { readonly by: number }> = defineEvent({
  name: 'counted',
  schema: z.object({ by: z.number() }),
});

/** What calls have counted. */
export const Count: Slice<{ readonly total: number }> = defineSlice({
  name: 'count',
  schema: z.object({ total: z.number() }),
  reducers: (on) => [
    on(Counted, (items, { by }) => items.replace([{ total: (items.latest()?.total ?? 0) + by }])),
  ],
});

/** A prompt that is served, and what its handlers wait for. */
export interface ServedPrompt {
  readonly prompt: Prompt<undefined>;
  readonly filesystem: MemoryFilesystem;
  /** The calls of `slow` wait here, after they have written `slow.txt`. */
  readonly slow: Gate;
  /** Resolves with the reason once the signal of a call of `slow` was aborted. */
  readonly aborted: Promise<unknown>;
}

/** Tools of every kind that a server treats in its own way. */
export function servedPrompt(files: Readonly<Record<string, string>> = { 'a.txt': 'alpha' }): ServedPrompt {
  const filesystem = new MemoryFilesystem({ files });
  const slow = gate();
  let abort: (reason: unknown) => void = () => undefined;
  const aborted = new Promise<unknown>((resolve) => {
    abort = resolve;
  });
  const tools = [
    tool({
      name: 'add',
      description: 'Adds to the count.',
      inputSchema: z.object({ by: z.number() }),
      outputSchema: z.object({ total: z.number() }),
      render: ({ total }) => `The count is ${total}.`,
      effects: 'state',
      execute: ({ by }, { session }) => {
        session.dispatch(Counted, { by });
        return ToolResult.ok({ total: session.slice(Count).latest()?.total ?? 0 });
      },
    }),
    tool({
      name: 'picture',
      description: 'Shows a picture.',
      effects: 'read',
      execute: () =>
        ToolResult.ok('Here it is.', undefined, {
          attachments: [
            { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' },
            { type: 'file', mediaType: 'application/pdf', data: 'cGRm', name: 'paper.pdf' },
            { type: 'file', mediaType: 'audio/wav', data: 'd2F2' },
            { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png' },
          ],
        }),
    }),
    tool({
      name: 'slow',
      description: 'Writes a file and waits.',
      effects: 'state',
      execute: async (_params, context) => {
        await context.filesystem.write('slow.txt', 'written');
        context.signal.addEventListener('abort', () => abort(context.signal.reason), { once: true });
        context.progress({ message: 'half of it' });
        context.beat();
        await slow.pass();
        context.signal.throwIfAborted();
        return ToolResult.ok('Slow is done.');
      },
    }),
    tool({
      name: 'fails',
      description: 'Changes something and throws.',
      effects: 'state',
      execute: async (_params, { filesystem: own, session }) => {
        await own.write('left.txt', 'left');
        session.dispatch(Counted, { by: 100 });
        throw new Error('secret of the host');
      },
    }),
    tool({
      name: 'secret',
      description: 'Knows a value that the model need not know.',
      inputSchema: z.object({ isKept: z.boolean() }),
      outputSchema: z.object({ password: z.string() }),
      effects: 'read',
      execute: ({ isKept }) =>
        ToolResult.ok({ password: 'hunter2' }, 'It is safe.', { excludeValueFromContext: isKept }),
    }),
    tool({
      name: 'publish',
      description: 'Publishes the count.',
      inputSchema: jsonSchema<{ tag: string }>({
        type: 'object',
        properties: { tag: { type: 'string' } },
        required: ['tag'],
      }),
      execute: ({ tag }) => ToolResult.ok(`Published ${tag}.`),
    }),
  ];
  const prompt = promptTemplate({
    ns: 'test',
    key: 'served',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Count and publish.',
        tools,
        slices: [Count],
        policies: [
          {
            name: 'ask-first',
            check: ({ tool: called }) =>
              called.name === 'publish' ? PolicyDecision.ask('Is it ready?') : PolicyDecision.allow(),
          },
        ],
      }),
      vfsToolsSection(),
      section({
        title: 'More',
        key: 'more',
        template: 'More tools.',
        summary: 'There are more tools.',
        visibility: 'summary',
        tools: [
          tool({
            name: 'extra',
            description: 'Is offered once its section is open.',
            effects: 'read',
            execute: () => ToolResult.ok('Extra.'),
          }),
        ],
      }),
    ],
  }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
  return { prompt, filesystem, slow, aborted };
}
