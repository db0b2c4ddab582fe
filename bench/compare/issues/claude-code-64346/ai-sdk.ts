import { generateText, isStepCount, tool } from 'ai-7';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { aiSdkModel } from '../../systems/ai-sdk.ts';
import { check, createTask, runShell, script } from './case.ts';

const shell = tool({
  description: 'Run a command.',
  inputSchema: z.object({ command: z.string() }),
  execute: ({ command }) => runShell(command),
});
const createTaskTool = tool({
  description: 'Create a task.',
  inputSchema: z.object({ title: z.string(), owner: z.string() }),
  execute: async () => createTask(),
});

await cell(() =>
  check(async () => {
    const { text } = await generateText({
      model: aiSdkModel(script),
      prompt: 'Look around.',
      tools: { shell, create_task: createTaskTool },
      stopWhen: isStepCount(20),
    });
    return text;
  }),
);
