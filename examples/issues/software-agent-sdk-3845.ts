// Sub-agents get the whole budget of the run again, and together they spend many times as much.
// Thread: https://github.com/OpenHands/software-agent-sdk/pull/3845
// Group: Sub-agents
// Steps: A run may spend 10,000 tokens. It has spent 3,000, and delegates to an agent that would never stop, which has the same limit.
// Asserted: The inner agent is stopped by what is left of the budget of the run, and the run ends with it.
// Compared: issues/software-agent-sdk-3845
import assert from 'node:assert/strict';
import {
  defineAgent,
  PromptEvaluationError,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';

const budget = { maxTotalTokens: 10_000 };
const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null),
});
const delegate = agentTool({
  name: 'delegate',
  description: 'Delegates.',
  inputSchema: z.object({}),
  template: promptTemplate({
    ns: 'issues',
    key: 'software-agent-sdk-3845-inner',
    sections: [section({ title: 'Inner', key: 'inner', template: 'Look everywhere.', tools: [look] })],
  }),
  effects: 'state',
  limits: { budget, maxTurns: 1_000 },
});
const requests = { outer: 0, inner: 0 };
const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
  const usage = { inputTokens: 900, outputTokens: 100 };
  const who = instructions.includes('Look everywhere.') ? 'inner' : 'outer';
  requests[who] += 1;
  if (who === 'inner') return { toolCalls: [{ name: 'look' }], usage };
  return { toolCalls: [{ name: turn === 3 ? 'delegate' : 'look' }], usage };
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'software-agent-sdk-3845',
    sections: [section({ title: 'Outer', key: 'outer', template: 'Lead.', tools: [look, delegate] })],
  }),
  adapter,
});
const ended: unknown = await runAgent(agent, { limits: { budget, maxTurns: 100 } }).catch(
  (error: unknown) => error,
);
assert.ok(PromptEvaluationError.isInstance(ended));
assert.equal(ended.phase, 'budget');
assert.deepEqual(requests, { outer: 3, inner: 7 });
assert.deepEqual(ended.usage, { inputTokens: 9_000, outputTokens: 1_000 });
console.log('holds: the inner agent makes 7 requests, and the run has spent its 10,000 tokens and no more');
