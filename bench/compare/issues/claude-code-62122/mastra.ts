import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { diskFiles } from '../../harness/files.ts';
import { mastraModel } from '../../systems/mastra.ts';
import { builderScript, check, editFile, features, leadScript, prepare } from './case.ts';

const write = createTool({
  id: 'write_file',
  description: 'Write a file.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: async ({ path, text }) => {
    await diskFiles.write(path, text);
    return 'Written.';
  },
});
const edit = createTool({
  id: 'edit_file',
  description: 'Change a text in a file.',
  inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});
const builders = features.map((feature) => {
  const name = `builder-${feature}`;
  const builder = new Agent({
    id: name,
    name,
    description: `Builds the feature ${feature}.`,
    instructions: 'You build.',
    model: mastraModel(builderScript(feature)),
    tools: { write_file: write, edit_file: edit },
  });
  return [name, builder] as const;
});
const lead = new Agent({
  id: 'lead',
  name: 'lead',
  instructions: 'You delegate.',
  // A sub-agent is the tool `agent-NAME` (documentation: Subagents).
  model: mastraModel(
    leadScript(
      (feature) => `agent-builder-${feature}`,
      () => ({ prompt: 'Build it.' }),
    ),
  ),
  agents: Object.fromEntries(builders),
});

await cell(async () => {
  await prepare();
  // Ten calls of a step run at once by default; the reference of generate() says how they run one after the other.
  await lead.generate('Begin.', { maxSteps: 10, toolCallConcurrency: 1 });
  return by('toolCallConcurrency: 1', await check());
});
