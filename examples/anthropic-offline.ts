// The Messages API of Anthropic on loopback: overloaded once, then a web search, a pause, two calls and an answer.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { hostedOutputsOf, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { webSearchSection } from 'weakincentives/tools';
import { z } from 'zod';

// A local server replaces the provider: it is overloaded once, searches, pauses, requests two calls, then
// answers. The client, HTTP, the events of the stream and the adapter are real.
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'warm cities' } };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 's1',
  content: [
    { type: 'web_search_result', url: 'https://warm.example', title: 'Warm', encrypted_content: 'x' },
  ],
};
const call = (id: string, city: string) => ({ type: 'tool_use', id, name: 'weather', input: { city } });
const citation = {
  type: 'web_search_result_location',
  url: 'https://warm.example',
  title: 'Warm',
  cited_text: 'Rome and Oslo.',
  encrypted_index: 'x',
};
const answer = 'Rome and Oslo.';
const replies = [
  { status: 529, content: [], stop: 'end_turn' },
  { status: 200, content: [search], stop: 'pause_turn' },
  { status: 200, content: [found, call('c1', 'Rome'), call('c2', 'Oslo')], stop: 'tool_use' },
  { status: 200, content: [{ type: 'text', text: answer, citations: [citation] }], stop: 'end_turn' },
];

/** The events in which the provider streams a message. */
function* eventsOf({ content, stop }: Pick<(typeof replies)[number], 'content' | 'stop'>) {
  yield { type: 'message_start', message: { content: [], usage: { input_tokens: 30, output_tokens: 1 } } };
  for (const [index, block] of content.entries()) {
    const words = 'text' in block ? block.text.split(/(?<= )/) : [];
    yield {
      type: 'content_block_start',
      index,
      content_block: 'text' in block ? { ...block, text: '' } : block,
    };
    for (const text of words) {
      yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
    }
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 4 } };
  yield { type: 'message_stop' };
}

const requests: { readonly messages: readonly { readonly content: readonly object[] }[] }[] = [];
const server = createServer((request, response) => {
  void readText(request).then((body) => {
    const { status, ...reply } = replies[requests.length] ?? { status: 500, content: [], stop: '' };
    requests.push(JSON.parse(body));
    const type = status === 200 ? 'text/event-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type, 'retry-after': '0' });
    const events = status === 200 ? [...eventsOf(reply)] : [];
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
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
const web = webSearchSection();
const task = section({
  title: 'Task',
  key: 'task',
  template: 'Say for which cities the weather is good.',
  tools: [weather],
});
const prompt = promptTemplate({ ns: 'examples', key: 'anthropic-offline', sections: [task, web] }).bind();

const adapter = anthropic({
  model: 'claude-sonnet-5-5',
  apiKey: 'none',
  baseURL: `http://127.0.0.1:${address.port}`,
});
const words: string[] = [];
const response = await adapter.evaluate(prompt, {
  input: 'Where is it warm?',
  streaming: true,
  retry: { baseDelayMs: 10, maxDelayMs: 10 },
  observers: [
    {
      onEvent: (event) => {
        if (event.type === 'text-delta') words.push(event.text);
      },
    },
  ],
});
server.closeAllConnections();
server.close();

assert.equal(response.text, answer);
assert.deepEqual(words, ['Rome ', 'and ', 'Oslo.']);
assert.deepEqual(response.usage, { inputTokens: 90, outputTokens: 12 });
const { invocations, citations } = hostedOutputsOf(response, web.hostedTools[0]);
assert.deepEqual(
  invocations.map(({ turn, status, sources }) => [turn, status, sources.length]),
  [
    [1, 'incomplete', 0],
    [2, 'completed', 1],
  ],
);
assert.deepEqual(
  citations.map(({ span = [0, 0] }) => response.text.slice(...span)),
  [answer],
);
// The results of one turn are one message; its last block ends the prefix that the provider caches.
assert.deepEqual(requests[3]?.messages.at(-1)?.content, [
  { type: 'tool_result', tool_use_id: 'c1', content: 'Sunny in Rome today.' },
  {
    type: 'tool_result',
    tool_use_id: 'c2',
    content: 'Sunny in Oslo today.',
    cache_control: { type: 'ephemeral' },
  },
]);
console.log(`${response.text} After ${requests.length} requests, by ${citations.length} source.`);
