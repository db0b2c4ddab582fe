import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { mastraModel } from '../systems/mastra.ts';
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
/** Hooks of the outer agent, for every tool call that it makes (reference of Agent: Tool hooks), given with the run. */
const hooks = {
  beforeToolCall: ({ input }: { readonly input: unknown }) => {
    const path = (input as { readonly path?: unknown } | undefined)?.path;
    return typeof path === 'string' && isForbidden(path)
      ? ({ proceed: false, output: ruleText } as const)
      : undefined;
  },
};

await cell(async () => {
  await lead.generate('Begin.', { hooks, maxSteps: 10 });
  return await check();
});
