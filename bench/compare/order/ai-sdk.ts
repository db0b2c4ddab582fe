import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { addNumbers, check, memoryFiles, startFiles } from './case.ts';

await cell(() =>
  check(async (script) => {
    const texts = startFiles();
    const add = tool({
      description: 'Add the number of a file to that of another.',
      inputSchema: z.object({ from: z.string(), to: z.string() }),
      execute: (input) => addNumbers(memoryFiles(texts), input),
    });
    await generateText({
      model: aiSdkModel(script),
      prompt: 'Add.',
      tools: { add },
      stopWhen: isStepCount(100),
    });
    return texts;
  }),
);
