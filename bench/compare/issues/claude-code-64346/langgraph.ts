import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { LangGraphModel } from '../../systems/langgraph.ts';
import { check, createTask, runShell, script } from './case.ts';

const shell = tool(({ command }) => runShell(command), {
  name: 'shell',
  description: 'Run a command.',
  schema: z.object({ command: z.string() }),
});
const createTaskTool = tool(async () => createTask(), {
  name: 'create_task',
  description: 'Create a task.',
  schema: z.object({ title: z.string(), owner: z.string() }),
});
const agent = createReactAgent({ llm: new LangGraphModel(script), tools: [shell, createTaskTool] });

await cell(() =>
  check(async () => {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Look around.' }] });
    return messages.at(-1)?.text;
  }),
);
