import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { check, script, weatherOf } from './case.ts';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => ToolResult.ok(null, weatherOf(city)),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'compare',
    key: 'bad-call',
    sections: [section({ title: 'Task', key: 'task', template: 'Say how it is.', tools: [weather] })],
  }),
  adapter: winkModel(script),
});

await cell(() => check(async () => (await runAgent(agent)).text));
