import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';

const weather = tool(async ({ city }) => `It is sunny in ${city}.`, {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
});

export async function ask(llm: BaseChatModel): Promise<string> {
  const agent = createReactAgent({ llm, tools: [weather], prompt: 'Answer in one sentence.' });
  const { messages } = await agent.invoke({ messages: 'How is the weather in Rome?' });
  return messages.at(-1)?.text ?? '';
}
