import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { mastraModel } from '../systems/mastra.ts';
import { check, exportInvoices, script, timeoutMs } from './case.ts';

const exportTool = createTool({
  id: 'export',
  description: 'Export all invoices.',
  inputSchema: z.object({}),
  execute: () => exportInvoices(diskFiles),
});
const agent = new Agent({
  id: 'exporter',
  name: 'exporter',
  instructions: 'Export.',
  model: mastraModel(script),
  tools: { export: exportTool },
});

await cell(async () => {
  // Tools in the foreground have no limit; the reference of generate() names one for the whole run, calls included.
  await agent
    .generate('Begin.', { modelSettings: { timeout: { totalMs: timeoutMs * 5 } } })
    .catch((error: unknown) => {
      if (!(error instanceof Error) || !/timeout|timed out|abort/i.test(`${error.name} ${error.message}`))
        throw error;
    });
  return await check();
});
