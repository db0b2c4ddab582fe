import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { aiSdkModel } from '../../systems/ai-sdk.ts';
import { check, lookUp, script } from './case.ts';

const lookUpTool = tool({
  description: 'Look up an order.',
  inputSchema: z.object({ id: z.int() }),
  execute: async ({ id }) => lookUp(id),
});

await cell(async () =>
  // z.number() takes the rounded number; the reference of Zod says that z.int() takes safe integers only.
  by(
    'z.int()',
    await check(() =>
      generateText({
        model: aiSdkModel(script),
        prompt: 'Look it up.',
        tools: { look_up: lookUpTool },
        stopWhen: isStepCount(20),
      }),
    ),
  ),
);
