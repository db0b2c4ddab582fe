import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { check, exportInvoices, script, timeoutMs } from './case.ts';

const exportTool = tool({
  name: 'export',
  description: 'Export all invoices.',
  parameters: z.object({}),
  timeoutMs,
  execute: () => exportInvoices(diskFiles),
});

await cell(async () => {
  const agent = new Agent({
    name: 'exporter',
    instructions: 'Export.',
    model: openaiAgentsModel(script),
    tools: [exportTool],
  });
  await run(agent, 'Begin.');
  return await check();
});
