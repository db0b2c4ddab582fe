import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { check, script, weatherOf } from './case.ts';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherOf(city),
});
const agent = new Agent({
  name: 'weather',
  instructions: 'Say how it is.',
  model: openaiAgentsModel(script),
  tools: [weather],
});

await cell(async () =>
  // An unknown tool ends the run by default; "Run arguments" of the page Running Agents says how the model reads of it instead.
  by(
    'toolNotFoundBehavior',
    await check(async () => {
      const { finalOutput } = await run(agent, 'Begin.', { toolNotFoundBehavior: 'return_error_to_model' });
      return finalOutput;
    }),
  ),
);
