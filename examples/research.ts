// Research with the web search of the provider: citations of the answer, and what a run may search. The provider is on loopback.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { defineAgent, hostedOutputsOf, promptTemplate, runAgent, section } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';

// What the provider answers: it has searched, and says which words are from which page.
const text = 'Honey bees dance to show the way. Bumblebees do not.';
const cite = (url: string, words: string) => ({
  type: 'url_citation',
  url,
  title: new URL(url).hostname,
  start_index: text.indexOf(words),
  end_index: text.indexOf(words) + words.length,
});
const annotations = [
  cite('https://bees.example/dance', 'Honey bees dance to show the way.'),
  cite('https://bumble.example/', 'Bumblebees do not.'),
];
const answer = {
  id: 'r1',
  status: 'completed',
  output: [
    {
      type: 'web_search_call',
      id: 's1',
      status: 'completed',
      action: { type: 'search', query: 'do bees dance' },
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations }] },
  ],
  usage: { input_tokens: 400, output_tokens: 40 },
};
const requests: { readonly tools: readonly object[] }[] = [];
const server = createServer((request, response) => {
  void readText(request).then((body) => {
    requests.push(JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
assert(typeof address === 'object' && address !== null);

const search = webSearchTool({ config: { domainFilter: { allowed: ['bees.example', 'bumble.example'] } } });
const params = z.object({ question: z.string() });
const task = section({
  title: 'Task',
  key: 'task',
  params,
  template: (p) => `Answer with sources: ${p.question}`,
  hostedTools: [search],
});
const agent = defineAgent({
  template: promptTemplate({ ns: 'examples', key: 'research', sections: [task] }),
  adapter: openai({ model: 'gpt-5', apiKey: 'none', baseURL: `http://127.0.0.1:${address.port}/v1` }),
});
const run = await runAgent(agent, { params: { question: 'Do bees dance?' } });
server.closeAllConnections();
server.close();

assert.equal(run.text, text);
// What the provider may do was part of the request, and what it did is part of the response.
assert.deepEqual(requests[0]?.tools, [
  { type: 'web_search', filters: { allowed_domains: ['bees.example', 'bumble.example'] } },
]);
const { invocations, citations } = hostedOutputsOf(run, search);
assert.deepEqual(
  invocations.map(({ queries }) => queries),
  [['do bees dance']],
);
const sources = citations.map((cited) => {
  const [start, end] = cited.span ?? [0, 0];
  return [cited.type === 'url' ? cited.url : '', text.slice(start, end)];
});
assert.deepEqual(sources, [
  ['https://bees.example/dance', 'Honey bees dance to show the way.'],
  ['https://bumble.example/', 'Bumblebees do not.'],
]);
console.log('ok: the answer has two sources, each for its own sentence');
