import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { mastraModel, quiet } from '../systems/mastra.ts';
import { check, innerScript, isForbidden, outerScript, ruleText } from './case.ts';

const write = createTool({
  id: 'write_file',
  description: 'Write a file.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: async ({ path, text }) => {
    await diskFiles.write(path, text);
    return 'Written.';
  },
});
const writer = new Agent({
  id: 'writer',
  name: 'writer',
  description: 'Writes files.',
  instructions: 'You write files.',
  model: mastraModel(innerScript),
  tools: { write_file: write },
});
const lead = new Agent({
  id: 'lead',
  name: 'lead',
  instructions: 'You delegate.',
  model: mastraModel(outerScript('agent-writer', { prompt: 'Write it.' })),
  // A sub-agent is the tool `agent-NAME` (documentation: Subagents).
  agents: { writer },
});
const mastra = new Mastra({ agents: { lead }, storage: new InMemoryStore(), logger: quiet });

// Two things of a run look at each call: hooks (reference of Agent: Tool hooks) and requireToolApproval (reference of generate()), after
// which a call is declined at the outer agent (documentation: Human-in-the-loop, "Approve and decline in supervisor agents").
const isForbiddenCall = (input: unknown): boolean => {
  const path = (input as { readonly path?: unknown } | undefined)?.path;
  return typeof path === 'string' && isForbidden(path);
};
const rules = {
  hooks: {
    beforeToolCall: ({ input }: { readonly input: unknown }) =>
      isForbiddenCall(input) ? ({ proceed: false, output: ruleText } as const) : undefined,
  },
  requireToolApproval: ({ args }: { readonly args: unknown }): boolean => isForbiddenCall(args),
};

await cell(async () => {
  const agent = mastra.getAgent('lead');
  let output = await agent.generate('Begin.', { ...rules, maxSteps: 10 });
  while (output.finishReason === 'suspended') {
    const { toolCallId } = output.suspendPayload as { readonly toolCallId: string };
    if (output.runId === undefined) throw new Error('The run has no id.');
    output = await agent.declineToolCallGenerate({ runId: output.runId, toolCallId });
  }
  return by('hooks', await check());
});
