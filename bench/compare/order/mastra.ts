import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { mastraModel } from '../systems/mastra.ts';
import { addNumbers, check, memoryFiles, startFiles } from './case.ts';

await cell(() =>
  check(async (script) => {
    const texts = startFiles();
    const add = createTool({
      id: 'add',
      description: 'Add the number of a file to that of another.',
      inputSchema: z.object({ from: z.string(), to: z.string() }),
      execute: (input) => addNumbers(memoryFiles(texts), input),
    });
    const agent = new Agent({
      id: 'adder',
      name: 'adder',
      instructions: 'Add.',
      model: mastraModel(script),
      tools: { add },
    });
    await agent.generate('Begin.', { maxSteps: 100 });
    return texts;
  }),
);
