import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { addNumbers, check, memoryFiles, startFiles } from './case.ts';

await cell(() =>
  check(async (script) => {
    const texts = startFiles();
    const add = tool({
      name: 'add',
      description: 'Add the number of a file to that of another.',
      parameters: z.object({ from: z.string(), to: z.string() }),
      execute: (input) => addNumbers(memoryFiles(texts), input),
    });
    const agent = new Agent({
      name: 'adder',
      instructions: 'Add.',
      model: openaiAgentsModel(script),
      tools: [add],
    });
    await run(agent, 'Begin.', { maxTurns: 100 });
    return texts;
  }),
);
