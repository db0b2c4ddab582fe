import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { mastraModel, quiet } from '../systems/mastra.ts';
import { chargeInvoice, check, killedScript, resumingScript } from './case.ts';

const charge = createTool({
  id: 'charge',
  description: 'Charge an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  execute: ({ invoice }) => chargeInvoice(invoice, currentPart === 'killed'),
});
// A durable agent keeps its checkpoints, and another process takes up what is left (documentation: Durable agents, "Crash recovery").
function durableAgent(script: Script) {
  const agent = new Agent({
    id: 'charger',
    name: 'charger',
    instructions: 'Charge both.',
    model: mastraModel(script),
    tools: { charge },
  });
  const charger = createDurableAgent({
    agent,
    shouldPersistSnapshot: ({ workflowStatus }) =>
      ['pending', 'paused', 'suspended', 'running'].includes(workflowStatus),
  });
  const storage = new LibSQLStore({ id: 'storage', url: 'file:storage.db' });
  const mastra = new Mastra({ agents: { charger }, storage, logger: quiet });
  return { charger, mastra };
}

switch (currentPart) {
  case 'killed': {
    const { charger } = durableAgent(killedScript());
    const { output } = await charger.stream('Begin.', { maxSteps: 20 });
    await output.consumeStream();
    await leave(undefined);
    break;
  }
  default:
    await cell(async () => {
      const { signal } = await startPart(import.meta.url, 'killed');
      if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
      const script = resumingScript();
      const { charger } = durableAgent(script);
      const { recovered } = await charger.recoverActiveRuns();
      if (recovered.length !== 1) throw new Error(`${recovered.length} runs were recovered.`);
      return await check(script);
    });
}
