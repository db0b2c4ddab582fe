import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, prepare, publishReport, script } from './case.ts';

const published: string[] = [];
// The context of a tool (documentation: Runtime and Tool Context) is what the SDK has for what tools share.
const publish = tool({
  description: 'Publish the report.',
  inputSchema: z.object({}),
  contextSchema: z.object({ publish: z.custom<() => void>() }),
  execute: async (_input, { context }): Promise<string> =>
    await publishReport(diskFiles, () => context.publish()),
});

await cell(async () => {
  await prepare();
  await generateText({
    model: aiSdkModel(script),
    prompt: 'Publish.',
    tools: { publish },
    toolsContext: { publish: { publish: () => published.push('report.md') } },
    stopWhen: isStepCount(20),
  });
  return await check(published);
});
