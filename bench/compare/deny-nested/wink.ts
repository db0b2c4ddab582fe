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
import { openWorkspace } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { check, innerScript, isForbidden, outerScript, ruleText } from './case.ts';

const task = z.object({ input: z.string() });
const outer = outerScript();
const write = tool({
  name: 'write_file',
  description: 'Write a file.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  effects: 'state',
  execute: async ({ path, text }, { filesystem }) => {
    await filesystem.write(path, text);
    return ToolResult.ok(null, 'Written.');
  },
});
const noProduction: ToolPolicy = {
  name: 'no-production',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => isForbidden(path)) ? PolicyDecision.deny(ruleText) : PolicyDecision.allow(),
};
const writer = section({
  title: 'Writer',
  key: 'writer',
  params: task,
  template: ({ input }) => `You write files. ${input}`,
  tools: [write],
});
const delegate = agentTool({
  name: 'delegate',
  description: 'Have it written.',
  inputSchema: task,
  template: promptTemplate({ ns: 'compare', key: 'inner', sections: [writer] }),
  effects: 'state',
});
const lead = section({ title: 'Lead', key: 'lead', template: 'You delegate.', tools: [delegate] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'compare', key: 'outer', sections: [lead], policies: [noProduction] }),
  workspace: {},
  // Both agents share an adapter; the instructions say which of them asks.
  adapter: scriptedAdapter((conversation, { instructions }) => {
    const script: Script = instructions.includes('You write files.') ? innerScript : outer;
    const { calls, text } = script.next([], conversation);
    if (calls.length === 0) return { text };
    return { toolCalls: calls.map((call) => ({ name: call.name, arguments: call.text })) };
  }),
});

await cell(async () => {
  await using workspace = await openWorkspace({ agent, folder: '.', apply: 'end' });
  await runAgent(agent, { workspace });
  return await check();
});
