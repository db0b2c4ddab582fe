import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { addNumbers, check, memoryFiles, startFiles } from './case.ts';

await cell(() =>
  check(async (script) => {
    const texts = startFiles();
    const add = tool((input) => addNumbers(memoryFiles(texts), input), {
      name: 'add',
      description: 'Add the number of a file to that of another.',
      schema: z.object({ from: z.string(), to: z.string() }),
    });
    const agent = createReactAgent({ llm: new LangGraphModel(script), tools: [add] });
    await agent.invoke({ messages: [{ role: 'user', content: 'Add.' }] }, { recursionLimit: 100 });
    return texts;
  }),
);
