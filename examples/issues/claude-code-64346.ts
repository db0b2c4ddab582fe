// One call of a turn fails for a harmless reason, and all the other calls of the turn are canceled.
// Thread: https://github.com/anthropics/claude-code/issues/64346
// Group: Parallel calls
// Steps: A turn has 27 calls. A search without a hit fails, a task lacks a field; echo, pwd and the others have nothing to do with them.
// Asserted: The run ends well. 25 calls are committed with their own results; only the two fail, and each says why.
// Compared: issues/claude-code-64346
import assert from 'node:assert/strict';
import {
  defineAgent,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const shell = tool({
  name: 'shell',
  description: 'Runs a command.',
  inputSchema: z.object({ command: z.string() }),
  effects: 'state',
  execute: async ({ command }) => {
    await Promise.resolve();
    if (command.startsWith('grep')) throw new Error('grep ended with 1: no line matches.');
    return ToolResult.ok(null, `Output of ${command}`);
  },
});
const createTask = tool({
  name: 'create_task',
  description: 'Creates a task.',
  inputSchema: z.object({ title: z.string(), owner: z.string() }),
  effects: 'state',
  execute: () => ToolResult.ok(null, 'Created.'),
});
const others = Array.from({ length: 23 }, (_, index) => `echo ${index + 1}`);
const commands = ['ls docs', 'grep -i plans', 'pwd', ...others];
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'claude-code-64346',
    sections: [section({ title: 'Task', key: 'task', template: 'Look around.', tools: [shell, createTask] })],
  }),
  adapter: scriptedAdapter([
    {
      toolCalls: [
        ...commands.map((command) => ({ name: 'shell', arguments: { command } })),
        { name: 'create_task', arguments: { title: 'Plan' } },
      ],
    },
    { text: 'All but two worked.' },
  ]),
});
await using session = new Session();
await assert.doesNotReject(runAgent(agent, { session }));

const calls = session.slice(ToolCallLog).all();
const failed = calls.filter(({ outcome }) => outcome !== 'committed');
assert.deepEqual([calls.length, failed.length], [27, 2]);
assert.deepEqual(
  failed.map(({ outcome, reason }) => `${outcome}: ${reason}`),
  ['rolled-back: threw', 'rejected: invalid-arguments'],
);
assert.match(failed[0]?.modelText ?? '', /no line matches/);
assert.match(failed[1]?.modelText ?? '', /owner/);
assert.equal(calls[2]?.modelText, 'Output of pwd');
console.log('holds: of 27 calls 25 are committed, and the two that fail say why');
