import { generateText, isStepCount, type LanguageModel, tool } from 'ai-7';
import { z } from 'zod';

const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `It is sunny in ${city}.`,
});

export async function ask(model: LanguageModel): Promise<string> {
  const instructions = 'Answer in one sentence.';
  const prompt = 'How is the weather in Rome?';
  return (await generateText({ model, instructions, prompt, tools: { weather }, stopWhen: isStepCount(5) }))
    .text;
}
