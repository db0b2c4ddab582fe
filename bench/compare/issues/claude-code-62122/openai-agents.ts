import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { diskFiles } from '../../harness/files.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { builderScript, check, editFile, features, leadScript, prepare } from './case.ts';

const write = tool({
  name: 'write_file',
  description: 'Write a file.',
  parameters: z.object({ path: z.string(), text: z.string() }),
  execute: async ({ path, text }) => {
    await diskFiles.write(path, text);
    return 'Written.';
  },
});
const edit = tool({
  name: 'edit_file',
  description: 'Change a text in a file.',
  parameters: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});
// An agent as a tool (documentation: Tools, "Agents as tools").
const builders = features.map((feature) =>
  new Agent({
    name: `builder-${feature}`,
    instructions: 'You build.',
    model: openaiAgentsModel(builderScript(feature)),
    tools: [write, edit],
  }).asTool({ toolName: `build_${feature}`, toolDescription: `Builds the feature ${feature}.` }),
);
const lead = new Agent({
  name: 'lead',
  instructions: 'You delegate.',
  model: openaiAgentsModel(
    leadScript(
      (feature) => `build_${feature}`,
      () => ({ input: 'Build it.' }),
    ),
  ),
  tools: builders,
});

await cell(async () => {
  await prepare();
  // Calls of a turn run at once by default; "Run arguments" of the page Running Agents says how they run one after the other.
  await run(lead, 'Begin.', { toolExecution: { maxFunctionToolConcurrency: 1 } });
  return by('maxFunctionToolConcurrency: 1', await check());
});
