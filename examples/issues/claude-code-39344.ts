// One rule denies a command, another asks a person about it, and the question cancels the denial.
// Thread: https://github.com/anthropics/claude-code/issues/39344
// Group: Rules
// Steps: A rule denies "make deploy". A second rule asks about every command. The person would say yes.
// Asserted: The command is denied whichever rule comes first, it never runs, and the person is not asked about it.
import assert from 'node:assert/strict';
import {
  defineAgent,
  PolicyDecision,
  promptTemplate,
  runAgent,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const params = z.object({ command: z.string() });
const executed: string[] = [];
const bash = tool({
  name: 'bash',
  description: 'Runs a command.',
  inputSchema: params,
  execute: ({ command }) => (executed.push(command), ToolResult.ok(null, 'Done.')),
});
const deny: ToolPolicy = {
  name: 'no-deploy',
  check: ({ params: given }) =>
    params.parse(given).command.startsWith('make deploy')
      ? PolicyDecision.deny('This command is not allowed.')
      : PolicyDecision.allow(),
};
const ask: ToolPolicy = { name: 'ask-always', check: () => PolicyDecision.ask('Run this command?') };

const asked: unknown[] = [];
for (const policies of [
  [deny, ask],
  [ask, deny],
]) {
  const toolCalls = ['make deploy', 'date'].map((command) => ({ name: 'bash', arguments: { command } }));
  const agent = defineAgent({
    template: promptTemplate({
      ns: 'issues',
      key: 'claude-code-39344',
      sections: [section({ title: 'Task', key: 'task', template: 'Run it.', tools: [bash], policies })],
    }),
    adapter: scriptedAdapter([{ toolCalls }, { text: 'Done.' }]),
  });
  const { conversation } = await runAgent(agent, {
    approve: (request) => (asked.push(request.params), { approved: true }),
  });
  const [refused, allowed] = conversation.flatMap((item) => (item.type === 'tool-result' ? [item] : []));
  assert.match(refused?.text ?? '', /no-deploy.*This command is not allowed\./s);
  assert.equal(allowed?.isError, false);
}
assert.deepEqual(executed, ['date', 'date']);
assert.deepEqual(asked, [{ command: 'date' }, { command: 'date' }]);
console.log('holds: in both orders the command is denied, and no person is asked about it');
