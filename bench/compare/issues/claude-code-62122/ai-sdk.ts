import { isStepCount, ToolLoopAgent, tool } from 'ai-7';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { diskFiles } from '../../harness/files.ts';
import { aiSdkModel } from '../../systems/ai-sdk.ts';
import { builderScript, check, editFile, features, leadScript, prepare } from './case.ts';

const write = tool({
  description: 'Write a file.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: async ({ path, text }) => {
    await diskFiles.write(path, text);
    return 'Written.';
  },
});
const edit = tool({
  description: 'Change a text in a file.',
  inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});
// An agent in a tool (documentation: Agents, Subagents).
const builders = features.map((feature) => {
  const builder = new ToolLoopAgent({
    model: aiSdkModel(builderScript(feature)),
    instructions: 'You build.',
    tools: { write_file: write, edit_file: edit },
  });
  const build = tool({
    description: `Builds the feature ${feature}.`,
    inputSchema: z.object({ task: z.string() }),
    execute: async ({ task }, { abortSignal }): Promise<string> =>
      (await builder.generate({ prompt: task, ...(abortSignal === undefined ? {} : { abortSignal }) })).text,
  });
  return [`build_${feature}`, build] as const;
});
const lead = new ToolLoopAgent({
  model: aiSdkModel(
    leadScript(
      (feature) => `build_${feature}`,
      () => ({ task: 'Build it.' }),
    ),
  ),
  instructions: 'You delegate.',
  tools: Object.fromEntries(builders),
  stopWhen: isStepCount(20),
  // Calls of a step run at once by default; the reference says how they run one after the other.
  toolCallConcurrency: 1,
});

await cell(async () => {
  await prepare();
  await lead.generate({ prompt: 'Begin.' });
  return by('toolCallConcurrency: 1', await check());
});
