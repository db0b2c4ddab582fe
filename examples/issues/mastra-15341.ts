// One tool of an MCP server has a schema that refers to itself, and all tools of the server are gone.
// Thread: https://github.com/mastra-ai/mastra/issues/15341
// Group: Tools
// Steps: A server offers a plain tool and one whose filter may contain filters. Both are mounted, and the model calls both.
// Asserted: Both tools are there. The model gets the recursive schema, and arguments are checked at every depth before the server gets them.
// Compared: issues/mastra-15341
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { defineAgent, promptTemplate, runAgent, Session, ToolCallLog } from 'weakincentives';
import { openMcpSection } from 'weakincentives/mcp';
import { scriptedAdapter } from 'weakincentives/testing';

const filter = {
  type: 'object',
  properties: { field: { type: 'string' }, within: { $ref: '#/$defs/filter' } },
  additionalProperties: false,
};
const tools = [
  { name: 'ping', inputSchema: { type: 'object' } },
  {
    name: 'query',
    inputSchema: { type: 'object', properties: { root: { $ref: '#/$defs/filter' } }, $defs: { filter } },
  },
];
const program = fileURLToPath(import.meta.url);

/** The server, in a process of its own: a line of JSON for each message. */
async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 'search', version: '1.0.0' };
    const results: Record<string, object> = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: `Called ${params?.name}.` }] },
    };
    const result = results[method] ?? {};
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
}

async function mount(): Promise<void> {
  const server = { command: process.execPath, args: [program, 'serve'] };
  await using search = await openMcpSection({ title: 'Search', key: 'search', server });
  const query = (root: object) => ({ name: 'query', arguments: { root } });
  const adapter = scriptedAdapter([
    {
      toolCalls: [
        { name: 'ping' },
        query({ field: 'a', within: { within: { field: 'b' } } }),
        query({ within: { within: { field: 1 } } }),
      ],
    },
    { text: 'Done.' },
  ]);
  const template = promptTemplate({ ns: 'issues', key: 'mastra-15341', sections: [search] });
  await using session = new Session();
  await assert.doesNotReject(runAgent(defineAgent({ template, adapter }), { session }));

  assert.deepEqual(search.skippedTools, []);
  const calls = session.slice(ToolCallLog).all();
  assert.deepEqual(
    calls.map(({ toolName, outcome }) => `${toolName} ${outcome}`),
    ['ping committed', 'query committed', 'query rejected'],
  );
  assert.match(calls[2]?.modelText ?? '', /root\.within\.within\.field/);
  console.log('holds: the recursive tool is mounted beside the other, and checked at every depth');
}

await (process.argv[2] === 'serve' ? serve() : mount());
