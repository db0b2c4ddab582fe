import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, type AgentInputItem, run, type Session, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { chargeInvoice, check, killedScript, resumingScript } from './case.ts';

const file = 'session.json';
const readItems = async () =>
  existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as AgentInputItem[]) : [];

/** A session of one's own (documentation: Sessions, "Bring your own storage"), in a file. */
const session: Session = {
  getSessionId: async () => 'charge-1',
  getItems: async (limit) => (limit === undefined ? await readItems() : (await readItems()).slice(-limit)),
  addItems: async (items) => await writeFile(file, JSON.stringify([...(await readItems()), ...items])),
  popItem: async () => {
    const items = await readItems();
    const last = items.pop();
    await writeFile(file, JSON.stringify(items));
    return last;
  },
  clearSession: async () => await writeFile(file, '[]'),
};
const charge = tool({
  name: 'charge',
  description: 'Charge an invoice.',
  parameters: z.object({ invoice: z.string() }),
  execute: ({ invoice }) => chargeInvoice(invoice, currentPart === 'killed'),
});
const agentOf = (script: Script) =>
  new Agent({
    name: 'charger',
    instructions: 'Charge both.',
    model: openaiAgentsModel(script),
    tools: [charge],
  });

switch (currentPart) {
  case 'killed':
    await run(agentOf(killedScript()), 'Begin.', { session });
    await leave(undefined);
    break;
  default:
    await cell(async () => {
      const { signal } = await startPart(import.meta.url, 'killed');
      if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
      const script = resumingScript();
      await run(agentOf(script), 'The process has ended. Continue.', { session });
      return await check(script);
    });
}
