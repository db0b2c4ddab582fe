import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { check, createTask, runShell, script } from './case.ts';

const shell = tool({
  name: 'shell',
  description: 'Run a command.',
  parameters: z.object({ command: z.string() }),
  execute: ({ command }) => runShell(command),
});
const createTaskTool = tool({
  name: 'create_task',
  description: 'Create a task.',
  parameters: z.object({ title: z.string(), owner: z.string() }),
  execute: async () => createTask(),
});
const agent = new Agent({
  name: 'explorer',
  instructions: 'Look around.',
  model: openaiAgentsModel(script),
  tools: [shell, createTaskTool],
});

await cell(() => check(async () => (await run(agent, 'Begin.')).finalOutput));
