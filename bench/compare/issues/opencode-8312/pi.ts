import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj } from '@earendil-works/pi-schema';
import { cell } from '../../harness/cell.ts';
import { piModel, piStream } from '../../systems/pi.ts';
import { check, edit, look, script } from './case.ts';

const parameters = obj({});
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }], details: undefined });
const lookTool: AgentTool<typeof parameters> = {
  name: 'look',
  label: 'Look',
  description: 'Look.',
  parameters,
  execute: async () => text(look()),
};
const editTool: AgentTool<typeof parameters> = {
  name: 'edit',
  label: 'Edit',
  description: 'Edit.',
  parameters,
  execute: async (_callId, _input, signal) => text(await edit(signal, () => agent.abort())),
};
const initialState = { systemPrompt: 'Edit.', model: piModel, tools: [lookTool, editTool] };
const agent: Agent = new Agent({ initialState, streamFn: piStream(script) });

await cell(async () => {
  await agent.prompt('Edit it.');
  return await check(async () => {
    await agent.prompt('Continue.');
  });
});
