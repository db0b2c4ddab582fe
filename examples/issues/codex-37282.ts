// A run continues for 16 hours and 7,395 requests, because nothing limits it.
// Thread: https://github.com/openai/codex/issues/37282
// Group: Limits
// Steps: One prompt, and a model that always asks for another call. First with a budget, then with a number of turns, then with neither, and a call that always fails.
// Asserted: The first run ends at the budget, the second at the turn, the third at the repeated failure. All keep what they had.
// Compared: runaway
import assert from 'node:assert/strict';
import {
  defineAgent,
  PromptEvaluationError,
  promptTemplate,
  type RunLimits,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const poll = tool({
  name: 'poll',
  description: 'Polls.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Wait.'),
});
const build = tool({
  name: 'build',
  description: 'Builds.',
  effects: 'state',
  execute: () => ToolResult.error('No space.'),
});
const task = section({ title: 'Task', key: 'task', template: 'Finish the project.', tools: [poll, build] });
const template = promptTemplate({ ns: 'issues', key: 'codex-37282', sections: [task] });

/** How a run of a model that never stops ends, and after how many requests. */
async function endOf(name: 'poll' | 'build', limits: RunLimits) {
  let requests = 0;
  const adapter = scriptedAdapter(() => {
    requests += 1;
    if (requests === 7_395) throw new Error('No limit has ended the run.');
    return { toolCalls: [{ name }], usage: { inputTokens: 900, outputTokens: 100 } };
  });
  const agent = defineAgent({ template, adapter });
  const ended: unknown = await runAgent(agent, { limits }).catch((error: unknown) => error);
  assert.ok(PromptEvaluationError.isInstance(ended));
  const results = ended.conversation.filter(({ type }) => type === 'tool-result').length;
  return { end: ended.code, requests, results };
}
const never = { maxTurns: 10_000 };
const budget = await endOf('poll', { ...never, budget: { maxTotalTokens: 20_000 } });
const turns = await endOf('poll', { maxTurns: 50 });
const failures = await endOf('build', {});

assert.deepEqual(budget, { end: 'evaluation-budget-exceeded', requests: 20, results: 20 });
assert.deepEqual(turns, { end: 'evaluation-turns-exceeded', requests: 50, results: 50 });
assert.deepEqual(failures, { end: 'evaluation-failures-repeated', requests: 5, results: 5 });
console.log(
  'holds: the runs end at the budget (20 requests), at the turn (50) and at the repeated failure (5)',
);
