// A program that serves tools over standard input and output, on the built package. When its client has gone it writes what is left to its error output.
import { binding, defineEvent, defineSlice, Filesystem, jsonSchema, MemoryFilesystem, PolicyDecision, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { openMcpServer } from 'weakincentives/mcp';

const isCount = { type: 'object', properties: { by: { type: 'number' } }, required: ['by'] };
const Counted = defineEvent({ name: 'counted', schema: jsonSchema(isCount) });
const Count = defineSlice({
  name: 'count',
  schema: jsonSchema({ type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }),
  reducers: (on) => [on(Counted, (items, { by }) => items.replace([{ total: (items.latest()?.total ?? 0) + by }]))],
});
const filesystem = new MemoryFilesystem();

const add = tool({
  name: 'add',
  description: 'Adds to the count.',
  inputSchema: jsonSchema(isCount),
  effects: 'state',
  execute: ({ by }, { session }) => {
    session.dispatch(Counted, { by });
    return ToolResult.ok(null, `The count is ${session.slice(Count).latest()?.total}.`);
  },
});
const slow = tool({
  name: 'slow',
  description: 'Writes a file and waits until it is aborted.',
  effects: 'state',
  execute: async (_params, context) => {
    await context.filesystem.write('slow.txt', 'written');
    context.progress({ message: 'written' });
    await new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
    });
    return ToolResult.ok(null);
  },
});
const fails = tool({
  name: 'fails',
  description: 'Writes a file and throws.',
  effects: 'state',
  execute: async (_params, context) => {
    await context.filesystem.write('fails.txt', 'written');
    throw new Error('It is full.');
  },
});
const publish = tool({
  name: 'publish',
  description: 'Writes a file once it may.',
  effects: 'state',
  execute: async (_params, context) => {
    await context.filesystem.write('published.txt', 'written');
    return ToolResult.ok(null, 'Published.');
  },
});
const open = tool({
  name: 'extra',
  description: 'Is offered once its section is open.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Extra.'),
});

const prompt = promptTemplate({
  ns: 'test',
  key: 'program',
  sections: [
    section({ title: 'Tools', key: 'tools', template: 'Count.', tools: [add, slow, fails], slices: [Count] }),
    section({
      title: 'Publish',
      key: 'publish',
      template: 'Publish.',
      tools: [publish],
      policies: [{ name: 'ask-first', check: () => PolicyDecision.ask('Is it ready?') }],
    }),
    section({ title: 'More', key: 'more', template: 'More.', summary: 'There is more.', visibility: 'summary', tools: [open] }),
  ],
}).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });

const server = await openMcpServer(prompt, {
  name: 'program',
  version: '1.0.0',
  approve: 'elicit',
  transport: { kind: 'stdio' },
});
await server.closed;
const { paths } = await filesystem.glob('**');
process.stderr.write(`left: ${JSON.stringify(paths)}\n`);
