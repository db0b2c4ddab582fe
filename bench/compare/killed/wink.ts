import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { currentPart, leave, startPart } from '../harness/part.ts';
import type { Script } from '../harness/script.ts';
import { winkModel } from '../systems/wink.ts';
import { chargeInvoice, check, killedScript, resumingScript } from './case.ts';

async function run(script: Script): Promise<void> {
  const charge = tool({
    name: 'charge',
    description: 'Charge an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    effects: 'external',
    execute: async ({ invoice }) =>
      ToolResult.ok(null, await chargeInvoice(invoice, currentPart === 'killed')),
  });
  const task = section({ title: 'Task', key: 'task', template: 'Charge invoices 1 and 2.', tools: [charge] });
  const agent = defineAgent({ template: promptTemplate({ ns: 'compare', key: 'killed', sections: [task] }) });
  await using journal = sqliteJournal({ file: 'journal.db' });
  await runAgent(agent, { adapter: winkModel(script), journal, runId: 'charge-1' });
}

switch (currentPart) {
  case 'killed':
    await run(killedScript());
    await leave(undefined);
    break;
  default:
    await cell(async () => {
      const { signal } = await startPart(import.meta.url, 'killed');
      if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
      const script = resumingScript();
      await run(script);
      return await check(script);
    });
}
