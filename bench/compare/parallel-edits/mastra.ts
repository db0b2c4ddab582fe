import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { mastraModel } from '../systems/mastra.ts';
import { check, editFile, prepare, script } from './case.ts';

const edit = createTool({
  id: 'edit_file',
  description: 'Change a text in a file.',
  inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});
const agent = new Agent({
  id: 'editor',
  name: 'editor',
  instructions: 'Raise the rates.',
  model: mastraModel(script),
  tools: { edit_file: edit },
});

await cell(async () => {
  await prepare();
  // Ten calls of a step run at once by default; the reference of generate() says how they run one after the other.
  await agent.generate('Begin.', { toolCallConcurrency: 1 });
  return by('toolCallConcurrency: 1', await check());
});
