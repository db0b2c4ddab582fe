import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj, str } from '@earendil-works/pi-schema';
import { cell } from '../harness/cell.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { check, script, weatherOf } from './case.ts';

const parameters = obj({ city: str() });
const weather: AgentTool<typeof parameters> = {
  name: 'weather',
  label: 'Weather',
  description: 'The weather of a city.',
  parameters,
  execute: async (_callId, { city }) => ({
    content: [{ type: 'text', text: weatherOf(city) }],
    details: undefined,
  }),
};

await cell(() =>
  check(async () => {
    const agent = new Agent({
      initialState: { systemPrompt: 'Say how it is.', model: piModel, tools: [weather] },
      streamFn: piStream(script),
    });
    await agent.prompt('Begin.');
    const last = agent.state.messages.at(-1);
    const [part] = last?.role === 'assistant' ? last.content : [];
    return part?.type === 'text' ? part.text : undefined;
  }),
);
