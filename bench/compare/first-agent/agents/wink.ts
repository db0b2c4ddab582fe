import {
  defineAgent,
  type ProviderAdapter,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ToolResult.ok(null, `It is sunny in ${city}.`),
});
const task = section({ title: 'Task', key: 'task', template: 'Answer in one sentence.', tools: [weather] });
const agent = defineAgent({ template: promptTemplate({ ns: 'first', key: 'agent', sections: [task] }) });

export async function ask(adapter: ProviderAdapter): Promise<string> {
  return (await runAgent(agent, { adapter, input: 'How is the weather in Rome?' })).text;
}
