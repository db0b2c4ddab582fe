import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj, str } from '@earendil-works/pi-schema';
import { cell } from '../harness/cell.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { addNumbers, check, memoryFiles, startFiles } from './case.ts';

const parameters = obj({ from: str(), to: str() });

await cell(() =>
  check(async (script) => {
    const texts = startFiles();
    const add: AgentTool<typeof parameters> = {
      name: 'add',
      label: 'Add',
      description: 'Add the number of a file to that of another.',
      parameters,
      execute: async (_callId, input) => ({
        content: [{ type: 'text', text: await addNumbers(memoryFiles(texts), input) }],
        details: undefined,
      }),
    };
    const agent = new Agent({
      initialState: { systemPrompt: 'Add.', model: piModel, tools: [add] },
      streamFn: piStream(script),
    });
    await agent.prompt('Begin.');
    return texts;
  }),
);
