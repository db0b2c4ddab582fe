import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { check, lookUp, script } from './case.ts';

const lookUpTool = tool({
  name: 'look_up',
  description: 'Look up an order.',
  parameters: z.object({ id: z.int() }),
  execute: async ({ id }) => lookUp(id),
});
const agent = new Agent({
  name: 'desk',
  instructions: 'Look it up.',
  model: openaiAgentsModel(script),
  tools: [lookUpTool],
});

await cell(async () =>
  // z.number() takes the rounded number; the reference of Zod says that z.int() takes safe integers only.
  by('z.int()', await check(() => run(agent, 'Begin.'))),
);
