import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { FileSaver } from '../systems/langgraph-saver.ts';
import { chargeInvoice, check, killedScript, resumingScript } from './case.ts';

const charge = tool(({ invoice }) => chargeInvoice(invoice, currentPart === 'killed'), {
  name: 'charge',
  description: 'Charge an invoice.',
  schema: z.object({ invoice: z.string() }),
});
const agentOf = (script: Script) =>
  createReactAgent({
    llm: new LangGraphModel(script),
    tools: [charge],
    checkpointer: new FileSaver('checkpoints'),
    version: 'v2',
  });
// Every step is kept before the next begins, and a thread continues from its last one (documentation: Durable execution).
const config = { configurable: { thread_id: 'charge-1' }, durability: 'sync' as const };

switch (currentPart) {
  case 'killed':
    await agentOf(killedScript()).invoke({ messages: [{ role: 'user', content: 'Charge both.' }] }, config);
    await leave(undefined);
    break;
  default:
    await cell(async () => {
      const { signal } = await startPart(import.meta.url, 'killed');
      if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
      const script = resumingScript();
      await agentOf(script).invoke(null, config);
      return await check(script);
    });
}
