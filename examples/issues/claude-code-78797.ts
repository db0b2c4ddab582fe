// A rule denies a command, and a sub-agent runs it all the same.
// Thread: https://github.com/anthropics/claude-code/issues/78797
// Group: Rules
// Steps: A rule denies "git stash". The agent tries it and is refused. It delegates, and the inner agent runs "git stash push".
// Asserted: The command is denied inside by the same rule, its handler never runs, and another command of the inner agent does.
// Compared: deny-nested
import assert from 'node:assert/strict';
import {
  defineAgent,
  PolicyDecision,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';

const params = z.object({ command: z.string() });
const executed: string[] = [];
const bash = tool({
  name: 'bash',
  description: 'Runs a command.',
  inputSchema: params,
  effects: 'state',
  execute: ({ command }) => (executed.push(command), ToolResult.ok(null, 'Done.')),
});
const noStash = {
  name: 'no-stash',
  check: ({ tool: { name }, params: given }: { tool: { name: string }; params: unknown }) =>
    name === 'bash' && params.parse(given).command.startsWith('git stash')
      ? PolicyDecision.deny('Commit instead.')
      : PolicyDecision.allow(),
};
const inner = promptTemplate({
  ns: 'issues',
  key: 'claude-code-78797-inner',
  sections: [section({ title: 'Inner', key: 'inner', template: 'Fix the test.', tools: [bash] })],
});
const delegate = agentTool({
  name: 'delegate',
  description: 'Delegates.',
  inputSchema: z.object({}),
  template: inner,
  effects: 'state',
});
const outer = promptTemplate({
  ns: 'issues',
  key: 'claude-code-78797',
  sections: [section({ title: 'Outer', key: 'outer', template: 'Delegate.', tools: [bash, delegate] })],
  policies: [noStash],
});
const run = (command: string) => ({ name: 'bash', arguments: { command } });
const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
  if (instructions.includes('Fix the test.'))
    return turn === 1 ? { toolCalls: [run('git stash push -u'), run('git status')] } : { text: 'Fixed.' };
  if (turn === 1) return { toolCalls: [run('git stash list')] };
  return turn === 2 ? { toolCalls: [{ name: 'delegate' }] } : { text: 'Done.' };
});
await using session = new Session();
await runAgent(defineAgent({ template: outer, adapter }), { session });

assert.deepEqual(executed, ['git status']);
const calls = session.slice(ToolCallLog).all();
const denied = calls.filter(({ outcome }) => outcome === 'denied');
assert.deepEqual(
  denied.map(({ policy, parentCallIds = [] }) => `${policy} at depth ${parentCallIds.length}`),
  ['no-stash at depth 0', 'no-stash at depth 1'],
);
console.log('holds: the rule denies the command outside and inside, and it never runs');
