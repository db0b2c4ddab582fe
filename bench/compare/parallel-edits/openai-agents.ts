import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { check, editFile, prepare, script } from './case.ts';

const edit = tool({
  name: 'edit_file',
  description: 'Change a text in a file.',
  parameters: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});
const agent = new Agent({
  name: 'editor',
  instructions: 'Raise the rates.',
  model: openaiAgentsModel(script),
  tools: [edit],
});

await cell(async () => {
  await prepare();
  // Calls of a turn run at once by default; "Run arguments" of the page Running Agents says how they run one after the other.
  await run(agent, 'Begin.', { toolExecution: { maxFunctionToolConcurrency: 1 } });
  return by('maxFunctionToolConcurrency: 1', await check());
});
