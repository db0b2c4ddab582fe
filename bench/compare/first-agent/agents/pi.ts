import { Agent, type AgentTool, type StreamFn } from '@earendil-works/pi-agent-core';
import type { Model } from '@earendil-works/pi-ai';
import { obj, str } from '@earendil-works/pi-schema';

const parameters = obj({ city: str() });
const weather: AgentTool<typeof parameters> = {
  name: 'weather',
  label: 'Weather',
  description: 'The weather of a city.',
  parameters,
  execute: async (_callId, { city }) => ({
    content: [{ type: 'text', text: `It is sunny in ${city}.` }],
    details: undefined,
  }),
};

export async function ask(model: Model<string>, streamFn: StreamFn): Promise<string> {
  const systemPrompt = 'Answer in one sentence.';
  const agent = new Agent({ initialState: { systemPrompt, model, tools: [weather] }, streamFn });
  await agent.prompt('How is the weather in Rome?');
  const last = agent.state.messages.at(-1);
  return last?.role === 'assistant'
    ? last.content.map((part) => ('text' in part ? part.text : '')).join('')
    : '';
}
