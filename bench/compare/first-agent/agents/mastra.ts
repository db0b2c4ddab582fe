import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `It is sunny in ${city}.`,
});

export async function ask(model: MastraModelConfig): Promise<string> {
  const instructions = 'Answer in one sentence.';
  const agent = new Agent({ id: 'first', name: 'first', instructions, model, tools: { weather } });
  return (await agent.generate('How is the weather in Rome?')).text;
}
