import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { filesOf } from '../systems/wink-files.ts';
import { check, exportInvoices, script, timeoutMs } from './case.ts';

const exportTool = tool({
  name: 'export',
  description: 'Export all invoices.',
  effects: 'state',
  timeoutMs,
  execute: async (_params, { filesystem }) => ToolResult.ok(null, await exportInvoices(filesOf(filesystem))),
});
const task = section({ title: 'Task', key: 'task', template: 'Export.', tools: [exportTool] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'compare', key: 'late-write', sections: [task] }),
  workspace: {},
});

await cell(async () => {
  await using workspace = await openWorkspace({ agent, folder: '.' });
  await runAgent(agent, { adapter: winkModel(script), workspace });
  return await check(async () => void (await workspace.apply()));
});
