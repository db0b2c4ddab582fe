// The Responses API of OpenAI on loopback: streaming, and a request that is sent again.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { promptTemplate, type RunEvent, section, ToolResult, tool } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';

// A local server replaces the provider: it is busy once, requests two calls, then answers. What is
// between, the client, HTTP and the whole adapter, is the real thing.
const call = (callId: string, city: string, day: string | null) => ({
  type: 'function_call',
  call_id: callId,
  name: 'weather',
  arguments: JSON.stringify({ city, day }),
});
const answer = { ok: true, cities: ['Rome', 'Oslo'] };
const replies = [
  { status: 429, body: { error: { message: 'Slow down.' } } },
  { status: 200, body: { output: [call('c1', 'Rome', null), call('c2', 'Oslo', 'tomorrow')] } },
  {
    status: 200,
    body: {
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: JSON.stringify(answer) }],
        },
      ],
      usage: { input_tokens: 90, output_tokens: 12 },
    },
  },
];
const requests: { readonly input: readonly object[]; readonly store: boolean }[] = [];
const server = createServer((request, response) => {
  void readText(request).then((body) => {
    const reply = replies[requests.length];
    requests.push(JSON.parse(body));
    response.writeHead(reply?.status ?? 500, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(reply?.body ?? {}));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
assert(typeof address === 'object' && address !== null);

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string(), day: z.string().default('today') }),
  effects: 'read',
  execute: ({ city, day }) => ToolResult.ok(null, `Sunny in ${city} ${day}.`),
});
const task = section({
  title: 'Task',
  key: 'task',
  template: 'Say for which cities the weather is good.',
  tools: [weather],
});
const prompt = promptTemplate({
  ns: 'examples',
  key: 'openai-offline',
  sections: [task],
  output: z.object({ ok: z.boolean(), cities: z.array(z.string()) }),
}).bind();

const adapter = openai({ model: 'gpt-5', apiKey: 'none', baseURL: `http://127.0.0.1:${address.port}/v1` });
const waits: RunEvent[] = [];
const { output, usage } = await adapter.evaluate(prompt, {
  input: 'Rome and Oslo?',
  retry: { baseDelayMs: 10, maxDelayMs: 10 },
  observers: [
    {
      onEvent: (event) => {
        if (event.type === 'model-call-retry') waits.push(event);
      },
    },
  ],
});
server.closeAllConnections();
server.close();

assert.deepEqual(output, answer);
assert.deepEqual(usage, { inputTokens: 90, outputTokens: 12 });
assert.equal(waits.length, 1);
assert(requests.every(({ store }) => !store));
assert.deepEqual(requests[2]?.input.slice(-2), [
  { type: 'function_call_output', call_id: 'c1', output: 'Sunny in Rome today.' },
  { type: 'function_call_output', call_id: 'c2', output: 'Sunny in Oslo tomorrow.' },
]);
console.log(`Good weather in ${output.cities.join(' and ')}, after ${requests.length} requests.`);
