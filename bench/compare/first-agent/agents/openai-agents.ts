import { Agent, type Model, run, tool } from '@openai/agents';
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `It is sunny in ${city}.`,
});

export async function ask(model: Model): Promise<string> {
  const agent = new Agent({
    name: 'first',
    instructions: 'Answer in one sentence.',
    model,
    tools: [weather],
  });
  return (await run(agent, 'How is the weather in Rome?')).finalOutput ?? '';
}
