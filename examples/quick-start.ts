import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const lookup = tool({
  name: 'lookup_entity',
  description: 'Fetch structured information for a given entity id.',
  inputSchema: z.object({ entityId: z.string().describe('Global identifier to fetch') }),
  outputSchema: z.object({ entityId: z.string(), documentUrl: z.string() }),
  effects: 'read',
  execute: ({ entityId }) =>
    ToolResult.ok({ entityId, documentUrl: `https://example.com/${entityId}` }, `Fetched ${entityId}.`),
});

const task = section({
  title: 'Task',
  key: 'task',
  params: z.object({ question: z.string() }),
  template: (p) => `Look entities up before you answer: ${p.question}`,
  tools: [lookup],
});
const agent = defineAgent({
  template: promptTemplate({ ns: 'examples', key: 'quick-start', sections: [task] }),
  // A scripted adapter replaces a real model: it requests one call, then answers.
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'lookup_entity', arguments: { entityId: 'ada-1' } }] },
    { text: 'Ada Lovelace; see https://example.com/ada-1.' },
  ]),
});

const run = await runAgent(agent, { params: { question: 'Who is ada-1?' } });

const answer = run.conversation.find((item) => item.type === 'tool-result');
assert.equal(
  answer?.text,
  'Fetched ada-1.\n\n{"documentUrl":"https://example.com/ada-1","entityId":"ada-1"}',
);
assert.equal(run.text, 'Ada Lovelace; see https://example.com/ada-1.');
console.log(run.text);
