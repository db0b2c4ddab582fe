import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const fetchTool = tool({
  name: 'fetch_page',
  description: 'Fetch a page.',
  inputSchema: z.object({ page: z.number() }),
  effects: 'read',
  execute: ({ page }) => ToolResult.ok(null, fetchPage(page)),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'compare',
    key: 'runaway',
    sections: [section({ title: 'Task', key: 'task', template: 'Read it all.', tools: [fetchTool] })],
  }),
});

await cell(() =>
  check(
    () => runAgent(agent, { adapter: winkModel(failingScript) }),
    () =>
      runAgent(agent, {
        adapter: winkModel(spendingScript),
        limits: { budget: { maxTotalTokens: maxTokens } },
      }),
  ),
);
