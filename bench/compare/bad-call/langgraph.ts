import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { check, script, weatherOf } from './case.ts';

const weather = tool(async ({ city }) => weatherOf(city), {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
});
const agent = createReactAgent({ llm: new LangGraphModel(script), tools: [weather] });

await cell(() =>
  check(async () => {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Say how it is.' }] });
    return messages.at(-1)?.text;
  }),
);
