import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, exportInvoices, script, timeoutMs } from './case.ts';

const exportTool = tool({
  description: 'Export all invoices.',
  inputSchema: z.object({}),
  execute: () => exportInvoices(diskFiles),
});

await cell(async () => {
  await generateText({
    model: aiSdkModel(script),
    prompt: 'Export.',
    tools: { export: exportTool },
    stopWhen: isStepCount(20),
    timeout: { toolMs: timeoutMs },
  });
  return await check();
});
