// A tool, a section and an agent, in 40 lines.
import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const people = new Map([['p-17', 'Ada Lovelace']]);
const lookUp = tool({
  name: 'look_up',
  description: 'Finds a person by id.',
  inputSchema: z.object({ id: z.string() }),
  effects: 'read',
  execute: ({ id }) =>
    people.has(id)
      ? ToolResult.ok(people.get(id))
      : ToolResult.error(`No person "${id}". Ids look like p-17.`),
});
const task = section({
  title: 'Task',
  key: 'task',
  params: z.object({ question: z.string() }),
  template: (p) => `Look people up before you answer: ${p.question}`,
  tools: [lookUp],
});
const agent = defineAgent({
  template: promptTemplate({ ns: 'examples', key: 'quick-start', sections: [task] }),
  params: { question: 'Who is person 17?' },
  // A script in place of a model: a call that fails, the call corrected, the answer.
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'look_up', arguments: { id: '17' } }] },
    { toolCalls: [{ name: 'look_up', arguments: { id: 'p-17' } }] },
    { text: 'Ada Lovelace.' },
  ]),
});

const run = await runAgent(agent);
assert.equal(run.text, 'Ada Lovelace.');
console.log(run.text);
