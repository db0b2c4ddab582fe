import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';

// Neither package is installed: a client that is passed in needs none, and without one the package is named.
const client = {
  responses: {
    create: async () => ({
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  },
};
const task = section({ title: 'Task', key: 'task', template: 'Greet.' });
const template = promptTemplate({ ns: 'consumers', key: 'greet', sections: [task] });
const greeter = defineAgent({ name: 'greeter', input: 'Hello?', template });
const { text } = await runAgent(greeter, { adapter: openai({ model: 'any', client }) });
assert.equal(text, 'Hello.');
const named = /npm install @anthropic-ai\/sdk/;
await assert.rejects(runAgent(greeter, { adapter: anthropic({ model: 'any', apiKey: 'none' }) }), (error) =>
  named.test(`${error.message} ${error.cause?.message}`),
);
