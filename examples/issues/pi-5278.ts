// A server reports zeros in place of the tokens that were used, and what limits a run by its tokens never fires.
// Thread: https://github.com/earendil-works/pi/issues/5278
// Group: Limits
// Steps: A run may spend 10,000 tokens. Each turn reads 4 KB more, and the server says that it took 0 tokens. The model never stops.
// Asserted: The zeros count as missing, tokens are estimated by what was sent, and the run ends at its budget.
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

let requests = 0;
const read = tool({
  name: 'read',
  description: 'Reads a page.',
  effects: 'read',
  execute: () => ToolResult.ok(null, `Page ${requests}. ${'Words. '.repeat(570)}`),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'pi-5278',
    sections: [section({ title: 'Task', key: 'task', template: 'Read everything.', tools: [read] })],
  }),
  adapter: scriptedAdapter(() => {
    requests += 1;
    return { toolCalls: [{ name: 'read' }], usage: { inputTokens: 0, outputTokens: 0 } };
  }),
});
const limits = { budget: { maxTotalTokens: 10_000 }, maxTurns: 200 };
const ended: unknown = await runAgent(agent, { limits }).catch((error: unknown) => error);

assert.ok(PromptEvaluationError.isInstance(ended));
assert.equal(ended.phase, 'budget');
assert.ok(requests < 10, `It made ${requests} requests.`);
console.log('holds: a run whose server reports zeros ends at its budget all the same');
