import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { int, obj } from '@earendil-works/pi-schema';
import { by, cell } from '../../harness/cell.ts';
import { piModel, piStream } from '../../systems/pi.ts';
import { check, lookUp, script } from './case.ts';

// int() takes the rounded number; with bounds (reference of the package pi-schema: int) it takes safe integers only.
const parameters = obj({ id: int({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) });
const lookUpTool: AgentTool<typeof parameters> = {
  name: 'look_up',
  label: 'Look up',
  description: 'Look up an order.',
  parameters,
  execute: async (_callId, { id }) => ({
    content: [{ type: 'text', text: lookUp(id) }],
    details: undefined,
  }),
};

await cell(async () =>
  by(
    'int() with bounds',
    await check(async () => {
      const agent = new Agent({
        initialState: { systemPrompt: 'Look it up.', model: piModel, tools: [lookUpTool] },
        streamFn: piStream(script),
      });
      await agent.prompt('Begin.');
    }),
  ),
);
