import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { mastraModel } from '../../systems/mastra.ts';
import { check, lookUp, script } from './case.ts';

const lookUpTool = createTool({
  id: 'look_up',
  description: 'Look up an order.',
  inputSchema: z.object({ id: z.int() }),
  execute: async ({ id }) => lookUp(id),
});
const agent = new Agent({
  id: 'desk',
  name: 'desk',
  instructions: 'Look it up.',
  model: mastraModel(script),
  tools: { look_up: lookUpTool },
});

await cell(async () =>
  // z.number() takes the rounded number; the reference of Zod says that z.int() takes safe integers only.
  by('z.int()', await check(() => agent.generate('Begin.', { maxSteps: 20 }))),
);
