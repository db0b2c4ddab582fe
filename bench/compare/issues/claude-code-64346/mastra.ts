import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { mastraModel } from '../../systems/mastra.ts';
import { check, createTask, runShell, script } from './case.ts';

const shell = createTool({
  id: 'shell',
  description: 'Run a command.',
  inputSchema: z.object({ command: z.string() }),
  execute: ({ command }) => runShell(command),
});
const createTaskTool = createTool({
  id: 'create_task',
  description: 'Create a task.',
  inputSchema: z.object({ title: z.string(), owner: z.string() }),
  execute: async () => createTask(),
});
const agent = new Agent({
  id: 'explorer',
  name: 'explorer',
  instructions: 'Look around.',
  model: mastraModel(script),
  tools: { shell, create_task: createTaskTool },
});

await cell(() => check(async () => (await agent.generate('Begin.', { maxSteps: 20 })).text));
