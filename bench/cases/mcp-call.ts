import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { defineEvent, defineSlice, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { openMcpServer } from 'weakincentives/mcp';
import { z } from 'zod';
import { runProgram } from '../harness/program.ts';
import { takeSamples } from '../harness/samples.ts';

interface Settings extends Record<string, string | number> {
  readonly calls: number;
  readonly server: 'library' | 'sdk';
}

const tinyCalls = 3;
const inputSchema = z.object({ by: z.number() });
const Counted = defineEvent({ name: 'counted', schema: inputSchema });
const Count = defineSlice({
  name: 'count',
  schema: z.object({ total: z.number() }),
  reducers: (on) => [
    on(Counted, (items, { by }) => items.replace([{ total: (items.latest()?.total ?? 0) + by }])),
  ],
});

/** The two ends of a connection by lines of JSON in one process. */
function streams(): {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly end: StdioServerTransport;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  return { input, output, end: new StdioServerTransport(output, input) };
}

/** Calls of one tool by the official client, one after the other: `cpu` and `wall` in µs per call. */
await runProgram<Settings>(async ({ calls: wanted, server }, plan) => {
  const calls = plan.effort === 'tiny' ? tinyCalls : wanted;
  await using connected = server === 'sdk' ? await connectSdk() : await connectLibrary();
  const { client } = connected;
  const { notes, samples } = await takeSamples(plan, {
    run: async () => {
      for (let index = 0; index < calls; index += 1) {
        const { content, isError } = await client.callTool({ name: 'add', arguments: { by: 1 } });
        const [block] = content;
        if (isError === true || block?.type !== 'text' || !block.text.includes('The count is '))
          throw new Error(`A call failed: ${JSON.stringify(content)}`);
      }
    },
  });
  return {
    samples: {
      cpu: samples.map(({ cpuMs }) => (cpuMs * 1000) / calls),
      wall: samples.map(({ wallMs }) => (wallMs * 1000) / calls),
    },
    notes,
  };
});

interface Connected extends AsyncDisposable {
  readonly client: Client;
}

async function connect(end: StdioServerTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(end);
  return client;
}

async function connectSdk(): Promise<Connected> {
  const { end, input, output } = streams();
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  let total = 0;
  server.registerTool('add', { description: 'Adds to the count.', inputSchema }, ({ by }) => {
    total += by;
    return { content: [{ type: 'text', text: `The count is ${total}.` }] };
  });
  await server.connect(new StdioServerTransport(input, output));
  const client = await connect(end);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

async function connectLibrary(): Promise<Connected> {
  const { end, input, output } = streams();
  const add = tool({
    name: 'add',
    description: 'Adds to the count.',
    inputSchema,
    effects: 'state',
    execute: ({ by }, { session }) => {
      session.dispatch(Counted, { by });
      return ToolResult.ok(null, `The count is ${session.slice(Count).latest()?.total ?? 0}.`);
    },
  });
  const prompt = promptTemplate({
    ns: 'bench',
    key: 'served',
    sections: [section({ title: 'Task', key: 'task', template: 'Count.', tools: [add], slices: [Count] })],
  }).bind();
  const server = await openMcpServer(prompt, {
    name: 'bench',
    version: '1.0.0',
    transport: { kind: 'stdio', input, output },
  });
  const client = await connect(end);
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
