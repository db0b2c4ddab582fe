import assert from 'node:assert/strict';
import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  effects: 'read',
  execute: ({ a, b }) => ToolResult.ok({ sum: a + b }),
});
const task = section({ title: 'Task', key: 'task', template: 'Add 1 and 2.', tools: [add] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'consumers', key: 'add', sections: [task] }),
  adapter: scriptedAdapter([{ toolCalls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: '3' }]),
});

export async function main(): Promise<void> {
  const { text } = await runAgent(agent);
  assert.equal(text, '3');
}
void main();
