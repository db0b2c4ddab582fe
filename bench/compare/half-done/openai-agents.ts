import { Agent, type RunContext, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { check, prepare, publishReport, script } from './case.ts';

interface Shared {
  readonly published: string[];
}
// The local context of a run (documentation: Context Management) is the state that tools share.
const publish = tool({
  name: 'publish',
  description: 'Publish the report.',
  parameters: z.object({}),
  execute: (_input, context?: RunContext<Shared>) =>
    publishReport(diskFiles, () => void context?.context.published.push('report.md')),
  // Without it the model reads that an error occurred, not which (documentation: Tools, "Function tools").
  errorFunction: (_context, error) => String(error),
});

await cell(async () => {
  await prepare();
  const agent = new Agent<Shared>({
    name: 'publisher',
    instructions: 'Publish.',
    model: openaiAgentsModel(script),
    tools: [publish],
  });
  const context: Shared = { published: [] };
  await run(agent, 'Begin.', { context });
  return await check(context.published);
});
