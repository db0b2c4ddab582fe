// A model of the AI SDK, here Google's, on loopback: calls, a web search with citations, a streamed answer.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createGoogle } from '@ai-sdk/google';
import {
  hostedOutputsOf,
  type PromptResponse,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';

// A local server replaces Google: its model requests a call, then searches the web by itself and
// answers, piece by piece. What is between, the AI SDK's package for Google, HTTP and the whole adapter, is the real thing.
const answers = [
  [{ content: { role: 'model', parts: [{ functionCall: { name: 'berth', args: { ship: 'Otter' } } }] } }],
  [
    { content: { role: 'model', parts: [{ text: 'The Otter lies at berth 7. ' }] } },
    {
      content: { role: 'model', parts: [{ text: 'High water is at six.' }] },
      groundingMetadata: {
        webSearchQueries: ['high water'],
        groundingChunks: [{ web: { uri: 'https://tides.example/', title: 'tides.example' } }],
        groundingSupports: [
          {
            segment: { startIndex: 27, endIndex: 48, text: 'High water is at six.' },
            groundingChunkIndices: [0],
          },
        ],
      },
    },
  ],
];
const requests: { readonly tools: readonly object[] }[] = [];
const server = createServer((request, response) => {
  void readText(request).then((body) => {
    const chunks = answers[requests.length] ?? [];
    requests.push(JSON.parse(body));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [index, candidate] of chunks.entries()) {
      const finishReason = index === chunks.length - 1 ? 'STOP' : undefined;
      response.write(`data: ${JSON.stringify({ candidates: [{ ...candidate, finishReason }] })}\n\n`);
    }
    response.end();
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
assert(typeof address === 'object' && address !== null);

const berth = tool({
  name: 'berth',
  description: 'Where a ship lies.',
  inputSchema: z.object({ ship: z.string() }),
  effects: 'read',
  execute: ({ ship }) => ToolResult.ok({ ship, berth: 7 }),
});
const search = webSearchTool();
const task = section({
  title: 'Task',
  key: 'task',
  template: 'Answer what sailors ask.',
  tools: [berth],
  hostedTools: [search],
});
const prompt = promptTemplate({ ns: 'examples', key: 'ai-sdk-offline', sections: [task] }).bind();

const google = createGoogle({ apiKey: 'none', baseURL: `http://127.0.0.1:${address.port}/v1beta` });
const run = aiSdk({ model: google('gemini-3-pro-preview') }).stream(prompt, {
  input: 'Where is the Otter, and when is high water?',
});
let shown = '';
let response: PromptResponse | undefined;
for await (const event of run) {
  if (event.type === 'text-delta') shown += event.text;
  if (event.type === 'run-result') ({ response } = event);
}
assert(response !== undefined);
server.closeAllConnections();
server.close();

assert.equal(shown, response.text);
assert.deepEqual(requests[0]?.tools[0], { googleSearch: {} });
const { invocations, citations } = hostedOutputsOf(response, search);
assert.deepEqual(
  invocations.map(({ queries }) => queries),
  [['high water']],
);
const [citation] = citations;
assert(citation?.type === 'url' && citation.span !== undefined);
console.log(
  `"${response.text.slice(...citation.span)}" says ${citation.url}, after ${requests.length} requests.`,
);
