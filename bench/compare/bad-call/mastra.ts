import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { mastraModel } from '../systems/mastra.ts';
import { check, script, weatherOf } from './case.ts';

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherOf(city),
});
const agent = new Agent({
  id: 'weather',
  name: 'weather',
  instructions: 'Say how it is.',
  model: mastraModel(script),
  tools: { weather },
});

await cell(() => check(async () => (await agent.generate('Begin.', { maxSteps: 20 })).text));
