import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, editFile, prepare, script } from './case.ts';

const edit = tool({
  description: 'Change a text in a file.',
  inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  execute: (input) => editFile(diskFiles, input),
});

await cell(async () => {
  await prepare();
  await generateText({
    model: aiSdkModel(script),
    prompt: 'Raise the rates.',
    tools: { edit_file: edit },
    stopWhen: isStepCount(20),
    // Calls of a step run at once by default; the reference of generateText() says how they run one after the other.
    toolCallConcurrency: 1,
  });
  return by('toolCallConcurrency: 1', await check());
});
