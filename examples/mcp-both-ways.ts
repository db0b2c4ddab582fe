// Tools of a prompt are served over MCP, and mounted in another agent: each side has its own rules.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import {
  defineAgent,
  defineSlice,
  PolicyDecision,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { openMcpSection, openMcpServer } from 'weakincentives/mcp';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Booked = defineSlice({ name: 'booked', schema: z.object({ seats: z.number() }) });

/** Our tools, for any client of the protocol: Claude Code, Codex, an editor, or the agent below. */
async function serve(): Promise<void> {
  const left = (items: readonly { readonly seats: number }[]): number =>
    items.reduce((sum, { seats }) => sum - seats, 5);
  const book = tool({
    name: 'book',
    description: 'Books seats.',
    inputSchema: z.object({ seats: z.number().int().min(1) }),
    effects: 'state',
    execute: ({ seats }, { session }) => {
      session.slice(Booked).append({ seats });
      // A failure rolls back: the seats are free again.
      return left(session.slice(Booked).all()) < 0
        ? ToolResult.error('There are not so many seats.')
        : ToolResult.ok(null, 'Booked.');
    },
  });
  const free = tool({
    name: 'free_seats',
    description: 'Counts the free seats.',
    effects: 'read',
    execute: (_params, { session }) =>
      ToolResult.ok(null, `${left(session.slice(Booked).all())} seats are free.`),
  });
  const train = section({
    title: 'Train',
    key: 'train',
    template: 'Sell seats.',
    tools: [book, free],
    slices: [Booked],
  });
  const prompt = promptTemplate({ ns: 'examples', key: 'train', sections: [train] }).bind();
  const server = await openMcpServer(prompt, {
    name: 'train',
    version: '1.0.0',
    transport: { kind: 'stdio' },
  });
  await server.closed;
}

/** An agent with the tools of a server, which it asks before under a rule of ours. */
async function mount(): Promise<void> {
  const fewSeats: ToolPolicy = {
    name: 'few-seats',
    check: ({ params }) =>
      z.object({ seats: z.number().max(3).optional() }).safeParse(params).success
        ? PolicyDecision.allow()
        : PolicyDecision.deny('We book at most three seats at a time.'),
  };
  const server = { command: process.execPath, args: [fileURLToPath(import.meta.url), 'serve'] };
  await using train = await openMcpSection({
    title: 'Train',
    key: 'train',
    server,
    prefix: 'train_',
    effects: { free_seats: 'read' },
    policies: [fewSeats],
  });
  const book = (seats: number) => ({ toolCalls: [{ name: 'train_book', arguments: { seats } }] });
  const agent = defineAgent({
    template: promptTemplate({ ns: 'examples', key: 'mcp-both-ways', sections: [train] }),
    adapter: scriptedAdapter([
      book(4), // Our rule denies it: the server is not asked.
      book(3),
      book(3), // The server refuses it, and has rolled it back.
      { toolCalls: [{ name: 'train_free_seats' }] },
      { text: 'Three seats are booked.' },
    ]),
  });
  await using session = new Session();
  await runAgent(agent, { session });
  const calls = session.slice(ToolCallLog).all();
  assert.deepEqual(
    calls.map(({ toolName, outcome }) => `${toolName} ${outcome}`),
    ['train_book denied', 'train_book committed', 'train_book rolled-back', 'train_free_seats committed'],
  );
  assert.match(calls[2]?.modelText ?? '', /There are not so many seats\./);
  assert.equal(calls[3]?.modelText, '2 seats are free.');
  console.log('ok: a rule of the client denies one call, the server rolls back another, 2 seats are free');
}

await (process.argv[2] === 'serve' ? serve() : mount());
