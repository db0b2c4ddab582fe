import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj, str } from '@earendil-works/pi-schema';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { check, editFile, prepare, script } from './case.ts';

const parameters = obj({ path: str(), before: str(), after: str() });
const edit: AgentTool<typeof parameters> = {
  name: 'edit_file',
  label: 'Edit a file',
  description: 'Change a text in a file.',
  parameters,
  // Calls of a turn run at once by default; the README says under "Tools" how those of a tool run one after the other.
  executionMode: 'sequential',
  execute: async (_callId, input) => ({
    content: [{ type: 'text', text: await editFile(diskFiles, input) }],
    details: undefined,
  }),
};

await cell(async () => {
  await prepare();
  const agent = new Agent({
    initialState: { systemPrompt: 'Raise the rates.', model: piModel, tools: [edit] },
    streamFn: piStream(script),
  });
  await agent.prompt('Begin.');
  return by('executionMode: sequential', await check());
});
