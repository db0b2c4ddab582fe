import { Agent, MemorySession, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { check, payRefund, script } from './case.ts';

const refund = tool({
  name: 'refund',
  description: 'Pay a refund.',
  parameters: z.object({ order: z.string(), cents: z.number() }),
  execute: async ({ order }) => payRefund(order),
});
const agent = new Agent({
  name: 'desk',
  instructions: 'Refund order-7.',
  model: openaiAgentsModel(script),
  tools: [refund],
});
// What is kept of a run that ends early (documentation: Sessions).
const session = new MemorySession();

await cell(() => check(() => run(agent, 'Refund it.', { session })));
