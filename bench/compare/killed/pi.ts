import { appendFile, readFile } from 'node:fs/promises';
import { Agent, type AgentMessage, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj, str } from '@earendil-works/pi-schema';
import { by, cell } from '../harness/cell.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { chargeInvoice, check, killedScript, resumingScript } from './case.ts';

const parameters = obj({ invoice: str() });
const charge: AgentTool<typeof parameters> = {
  name: 'charge',
  label: 'Charge',
  description: 'Charge an invoice.',
  parameters,
  execute: async (_callId, { invoice }) => ({
    content: [{ type: 'text', text: await chargeInvoice(invoice, currentPart === 'killed') }],
    details: undefined,
  }),
};
const agentOf = (script: Script, messages: readonly AgentMessage[]) =>
  new Agent({
    initialState:
      messages.length > 0
        ? { model: piModel, tools: [charge], messages: [...messages] }
        : { systemPrompt: 'Charge both.', model: piModel, tools: [charge] },
    streamFn: piStream(script),
  });

// Messages are kept as they end: listeners are awaited, before a call begins (README, "Tool Execution" and "Events").
switch (currentPart) {
  case 'killed': {
    const agent = agentOf(killedScript(), []);
    agent.subscribe(async (event) => {
      if (event.type === 'message_end')
        await appendFile('messages.jsonl', `${JSON.stringify(event.message)}\n`);
    });
    await agent.prompt('Begin.');
    await leave(undefined);
    break;
  }
  default:
    await cell(async () => {
      const { signal } = await startPart(import.meta.url, 'killed');
      if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
      const lines = (await readFile('messages.jsonl', 'utf8')).trimEnd().split('\n');
      const script = resumingScript();
      const agent = agentOf(
        script,
        lines.map((line) => JSON.parse(line) as AgentMessage),
      );
      // The last message asks for a call; a message of the user is what a run can continue with then (README, "continue()").
      agent.followUp({ role: 'user', content: 'The process has ended. Continue.', timestamp: 0 });
      await agent.continue();
      return by('messages kept by you', await check(script));
    });
}
