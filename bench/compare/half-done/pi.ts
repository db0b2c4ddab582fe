import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { obj } from '@earendil-works/pi-schema';
import { cell } from '../harness/cell.ts';
import { diskFiles } from '../harness/files.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { check, prepare, publishReport, script } from './case.ts';

// An agent has messages and no other state: what tools share is a variable.
const published: string[] = [];
const parameters = obj({});
const publish: AgentTool<typeof parameters> = {
  name: 'publish',
  label: 'Publish',
  description: 'Publish the report.',
  parameters,
  execute: () => publishReport(diskFiles, () => void published.push('report.md')),
};

await cell(async () => {
  await prepare();
  const agent = new Agent({
    initialState: { systemPrompt: 'Publish.', model: piModel, tools: [publish] },
    streamFn: piStream(script),
  });
  await agent.prompt('Begin.');
  return await check(published);
});
