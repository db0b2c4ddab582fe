import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  PolicyDecision,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  reducers,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { createManualClock, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import type { GoldenStage } from './golden-runs.ts';

// A run with evaluations inside of evaluations, policies over them, and files with permissions and links: what the rows of
// the other golden runs do not have.

const Kept = defineEvent({ name: 'kept', schema: z.object({ key: z.string() }) });
const Order = defineSlice({
  name: 'order',
  schema: z.object({ key: z.string() }),
  key: ({ key }) => key,
  initial: [{ key: 'first' }, { key: 'last' }],
  reducers: (on) => [
    on(
      Kept,
      reducers.keepLatestBy(({ key }) => key),
    ),
  ],
});

const promptOf = (key: string, parts: Partial<Parameters<typeof section>[0]>): Prompt =>
  promptTemplate({
    ns: 'golden',
    key,
    sections: [section({ title: 'Task', key: 'task', template: `This is ${key}.`, ...parts })],
  }).bind();

const deliver = tool({
  name: 'deliver',
  description: 'Delivers.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('delivered.md', 'delivered');
    return ToolResult.ok(null, 'Delivered.');
  },
});

/** A tool that has a prompt evaluated; a run that is resumed continues inside of it. */
const delegate = (name: string, prompt: Prompt) =>
  tool({
    name,
    description: 'Delegates.',
    effects: 'state',
    reenters: true,
    execute: async (_params, { adapter }) => {
      await adapter.evaluate(prompt, { input: 'Deliver it.' });
      return ToolResult.ok(null, 'Delegated.');
    },
  });

/** Has a model judge the delivery, and then asks. */
const judges: ToolPolicy = {
  name: 'judges',
  check: async ({ tool: { name } }, { adapter }) => {
    if (name !== 'deliver') return PolicyDecision.allow();
    const { text } = await adapter.evaluate(promptOf('judge', {}), { input: 'Is it right?' });
    return PolicyDecision.ask(text);
  },
};

const arrange = tool({
  name: 'arrange',
  description: 'Moves files.',
  effects: 'state',
  execute: async (_params, { session, filesystem }) => {
    session.dispatch(Kept, { key: 'first' });
    await filesystem.glob('*.md');
    await filesystem.copy('run.sh', 'copied.sh');
    await filesystem.remove('plain.md');
    await filesystem.move('run.sh', 'plain.md');
    await filesystem.move('to-file', 'moved-link');
    await filesystem.remove('dangling');
    await filesystem.write('dangling', 'a file');
    return ToolResult.ok(null, 'Arranged.', {
      attachments: [{ type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=', name: 'a.pdf' }],
    });
  },
});

const send = tool({
  name: 'send',
  description: 'Sends.',
  effects: 'external',
  execute: async () => {
    throw new Error('It broke off.');
  },
});

const outerScript: readonly ScriptedTurn[] = [
  {
    toolCalls: [
      { name: 'arrange' },
      { name: 'open_sections', arguments: { section_keys: ['more'], reason: 'To see.' } },
    ],
  },
  { toolCalls: [{ name: 'send' }] },
  { toolCalls: [{ name: 'delegate' }] },
  { approvalRequests: [{ approvalId: 'approval-1', toolName: 'docs', name: 'erase', arguments: '{}' }] },
  { text: 'It is done.' },
];
const scripts: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  middle: [{ toolCalls: [{ name: 'descend' }] }],
  inner: [{ toolCalls: [{ name: 'deliver' }] }],
  judge: [{ text: 'Is it right?' }],
};

function nestedAdapter(): ProviderAdapter {
  return scriptedAdapter((_conversation, { instructions, turn }) => {
    const key = /This is (\w+)\./.exec(instructions)?.[1] ?? '';
    return (scripts[key] ?? outerScript)[turn - 1] ?? { text: 'Done.' };
  });
}

/** The run on these files: `run.sh`, `plain.md`, and `to-file` and `dangling`, which may be links. */
export function nestedStage(filesystem: Filesystem): GoldenStage<undefined> {
  const clock = createManualClock();
  let made = 0;
  const ids = (): string => `id-${(made += 1)}`;
  const middle = promptOf('middle', {
    tools: [delegate('descend', promptOf('inner', { tools: [deliver] }))],
  });
  const more = section({
    title: 'More',
    key: 'more',
    template: 'There is more.',
    summary: 'There may be more.',
    visibility: 'summary',
    tools: [send],
  });
  const prompt = promptTemplate({
    ns: 'golden',
    key: 'outer',
    policies: [judges],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Arrange and deliver.',
        slices: [Order],
        tools: [arrange, delegate('delegate', middle)],
      }),
      more,
    ],
  }).bind();
  const session = new Session({ id: 'session', clock, ids });
  return {
    prompt,
    adapter: nestedAdapter(),
    options: { session, clock, ids, agentName: 'golden', input: 'Begin.' },
  };
}
