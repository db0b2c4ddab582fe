import { createGoogle } from '@ai-sdk/google';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool, webSearchTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { berthOf, check } from './case.ts';

const berth = createTool({
  id: 'berth',
  description: 'Where a ship lies.',
  inputSchema: z.object({ ship: z.string() }),
  execute: async ({ ship }) => berthOf(ship),
});
/** Models by their names; that of Google as an object, since no variable of the environment says where its provider is. */
const models = {
  openai: () => 'openai/gpt-5' as const,
  anthropic: () => 'anthropic/claude-sonnet-4-5' as const,
  google: (baseURL: string) =>
    // A model of the AI SDK is one of Mastra, by the documentation; the declared types of both packages differ.
    createGoogle({ name: 'google', apiKey: 'none', baseURL })(
      'gemini-3-pro-preview',
    ) as unknown as MastraModelConfig,
};
for (const name of ['OPENAI', 'ANTHROPIC']) process.env[`${name}_API_KEY`] = 'none';

await cell(() =>
  check(async (provider, url) => {
    // Where a provider is, as an environment says it (documentation: Models).
    process.env[`${provider.toUpperCase()}_BASE_URL`] = url;
    const agent = new Agent({
      id: 'sailors',
      name: 'sailors',
      instructions: 'Answer what sailors ask.',
      model: models[provider](url),
      // It becomes the search of the model's provider (documentation: Tools, "Use provider web search").
      tools: { berth, search: webSearchTool },
    });
    return (await agent.generate('Where is the Otter?')).text;
  }),
);
