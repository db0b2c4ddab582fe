import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj, str } from '@earendil-works/pi-schema';
import { cell } from '../../harness/cell.ts';
import { piModel, piStream } from '../../systems/pi.ts';
import { check, createTask, runShell, script } from './case.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }], details: undefined });
const command = obj({ command: str() });
const shell: AgentTool<typeof command> = {
  name: 'shell',
  label: 'Shell',
  description: 'Run a command.',
  parameters: command,
  execute: async (_callId, input) => text(await runShell(input.command)),
};
const task = obj({ title: str(), owner: str() });
const createTaskTool: AgentTool<typeof task> = {
  name: 'create_task',
  label: 'Create a task',
  description: 'Create a task.',
  parameters: task,
  execute: async () => text(createTask()),
};

await cell(() =>
  check(async () => {
    const agent = new Agent({
      initialState: { systemPrompt: 'Look around.', model: piModel, tools: [shell, createTaskTool] },
      streamFn: piStream(script),
    });
    await agent.prompt('Begin.');
    const last = agent.state.messages.at(-1);
    const [part] = last?.role === 'assistant' ? last.content : [];
    return part?.type === 'text' ? part.text : undefined;
  }),
);
