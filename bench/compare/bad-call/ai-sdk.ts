import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, script, weatherOf } from './case.ts';

const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherOf(city),
});

await cell(() =>
  check(async () => {
    const { text } = await generateText({
      model: aiSdkModel(script),
      prompt: 'Say how it is.',
      tools: { weather },
      stopWhen: isStepCount(20),
    });
    return text;
  }),
);
