import { ToolLoopAgent, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, innerScript, isForbidden, outerScript, ruleText } from './case.ts';

// A sub-agent is an agent that a tool calls (documentation: Subagents).
const writer = new ToolLoopAgent({
  model: aiSdkModel(innerScript),
  instructions: 'You write files.',
  tools: {
    write_file: tool({
      description: 'Write a file.',
      inputSchema: z.object({ path: z.string(), text: z.string() }),
      execute: async ({ path, text }) => {
        await diskFiles.write(path, text);
        return 'Written.';
      },
    }),
  },
});
const lead = new ToolLoopAgent({
  model: aiSdkModel(outerScript()),
  instructions: 'You delegate.',
  tools: {
    delegate: tool({
      description: 'Have it written.',
      inputSchema: z.object({ input: z.string() }),
      execute: async ({ input }) => (await writer.generate({ prompt: input })).text,
    }),
  },
  // One policy for all tools of an agent (documentation: Tool Approvals).
  toolApproval: ({ toolCall }) => {
    const { path } = toolCall.input as { readonly path?: string };
    return path !== undefined && isForbidden(path) ? { type: 'denied', reason: ruleText } : undefined;
  },
});

await cell(async () => {
  await lead.generate({ prompt: 'Begin.' });
  return await check();
});
